package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// planFile says how much the run intends to ask. It is rewritten whenever asking starts.
const planFile = "plan.json"

// Planned is how much a run intends to ask, as its folder says.
type Planned struct {
	Requests int       `json:"requests"` // in total, in the rounds started
	Cost     float64   `json:"cost"`     // expected, of all that was and will be asked
	At       time.Time `json:"at"`       // when the latest round began, UTC
}

// notePlan saves what a round intends to ask, in addition to earlier rounds.
func (r *Run) notePlan(p Plan) error {
	r.planned.Requests += p.Requests
	r.planned.Cost = p.Spent + p.Cost
	r.planned.At = time.Now().UTC()
	content, err := json.Marshal(r.planned)
	if err == nil {
		err = writeSynced(r.path(planFile), append(content, '\n'))
	}
	if err != nil {
		return fmt.Errorf("saving what is to be asked: %w", err)
	}
	return nil
}

// Glance is the progress of a run, read from its folder. Refresh reads only what was added to the files, so
// that a long run can be checked often.
type Glance struct {
	Settings Settings
	Planned  Planned // the zero value if asking has not started

	Requests int // sent at least once
	Answered int
	Refused  int // by the endpoint permanently
	Failures int // attempts that brought no answer

	Usage  Usage
	Cost   float64        // of all answers
	Finish map[string]int // finish reasons of the answers
	Last   time.Time      // when the last answer came, UTC
	Failed string         // why the last attempt without an answer had none

	dir  string
	read map[string]int64 // bytes of each file that are counted in
}

// NewGlance looks at a run folder. The error is fs.ErrNotExist if the folder has no run.
func NewGlance(dir string) (*Glance, error) {
	g := &Glance{dir: dir, read: map[string]int64{}, Finish: map[string]int{}}
	var err error
	if g.Settings, err = readSettings(filepath.Join(dir, settingsFile)); err != nil {
		return nil, fmt.Errorf("reading the run folder %s: %w", dir, err)
	}
	return g, g.Refresh()
}

// Refresh reads what came since.
func (g *Glance) Refresh() error {
	content, err := os.ReadFile(filepath.Join(g.dir, planFile))
	if err == nil {
		err = json.Unmarshal(content, &g.Planned)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the run folder %s: %s: %w", g.dir, planFile, err)
	}
	for _, part := range []struct {
		file string
		line func(line []byte) error
	}{
		{requestsFile, func([]byte) error { g.Requests++; return nil }},
		{answersFile, g.answer},
		{failuresFile, g.failure},
	} {
		if err := g.grown(part.file, part.line); err != nil {
			return fmt.Errorf("reading the run folder %s: %w", g.dir, err)
		}
	}
	return nil
}

func (g *Glance) answer(line []byte) error {
	var a struct {
		FinishReason string    `json:"finish_reason"`
		Usage        Usage     `json:"usage"`
		Cost         float64   `json:"cost"`
		At           time.Time `json:"at"`
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return err
	}
	g.Answered++
	g.Usage.Prompt += a.Usage.Prompt
	g.Usage.Completion += a.Usage.Completion
	g.Usage.Estimated = g.Usage.Estimated || a.Usage.Estimated
	g.Cost += a.Cost
	g.Finish[a.FinishReason]++
	if a.At.After(g.Last) {
		g.Last = a.At
	}
	return nil
}

func (g *Glance) failure(line []byte) error {
	var f Failure
	if err := json.Unmarshal(line, &f); err != nil {
		return err
	}
	g.Failures++
	g.Failed = f.Message
	if f.Final {
		g.Refused++
	}
	return nil
}

// grown passes on the complete lines added to a file since it was last read. Files of a run only grow.
func (g *Glance) grown(name string, each func(line []byte) error) error {
	f, err := os.Open(filepath.Join(g.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return err
	case info.Size() < g.read[name]:
		return fmt.Errorf("%s is shorter than it was; expected the same run", name)
	}
	if _, err := f.Seek(g.read[name], io.SeekStart); err != nil {
		return err
	}
	lines := newLineReader(f)
	for {
		line, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = each(line)
		}
		if err != nil {
			return fmt.Errorf("%s, from byte %d on: %w", name, g.read[name], err)
		}
		g.read[name] += int64(len(line)) + 1
	}
}
