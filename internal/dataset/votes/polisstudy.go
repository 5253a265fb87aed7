package votes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"overton/internal/cluster"
	"overton/internal/dataset/studyfile"
	"overton/internal/study"
)

// PolisStudy is a Polis conversation as a study of ours: one question, everybody
// done with it, nothing but statements and votes.
type PolisStudy struct {
	*studyfile.Study
	Records    []study.Record
	Statements []study.Statement
	Votes      *Set
}

// polisQuestion is the id of a conversation's only question.
const polisQuestion = "1"

// ReadPolisStudy reads a Polis export folder as ReadPolis does and makes a study
// of it. Participants are called after the slug and their number. Times come
// from votes.csv, where it is there; otherwise everything happened at the time
// of the latest comment. Meta statements become rejected ones, whose votes do
// not count for the groups either.
func ReadPolisStudy(dir fs.FS, agree int, slug string) (*PolisStudy, error) {
	votes, err := ReadPolis(dir, agree)
	if err != nil {
		return nil, err
	}
	p := &PolisStudy{Votes: votes}
	topic, err := polisTopic(dir, slug)
	if err != nil {
		return nil, err
	}
	if p.Study, err = studyfile.Read(polisStudyFiles(slug, topic)); err != nil {
		return nil, fmt.Errorf("making a study of a Polis export: %w", err)
	}
	written, latest, err := polisWritten(dir)
	if err != nil {
		return nil, err
	}
	times, err := polisTimes(dir)
	if err != nil {
		return nil, err
	}
	p.fill(written, times, latest)
	return p, nil
}

// polisTopic is the topic that summary.csv names, or the slug.
func polisTopic(dir fs.FS, slug string) (string, error) {
	content, err := fs.ReadFile(dir, "summary.csv")
	if errors.Is(err, fs.ErrNotExist) {
		return slug, nil
	}
	if err != nil {
		return "", fmt.Errorf("reading summary.csv: %w", err)
	}
	for line := range strings.Lines(string(content)) {
		if topic, ok := strings.CutPrefix(line, "topic,"); ok && strings.TrimSpace(topic) != "" {
			return strings.Trim(strings.TrimSpace(topic), `"`), nil
		}
	}
	return slug, nil
}

// polisStudyFiles writes the study's folder.
func polisStudyFiles(slug, topic string) studyfile.Files {
	cell := `"` + strings.ReplaceAll(topic, `"`, `""`) + `"`
	return studyfile.Files{
		"consent.md":    []byte("This study was imported from a Polis export. Nobody takes part in it here.\n"),
		"questions.csv": []byte("question_id,question\n" + polisQuestion + "," + cell + "\n"),
		studyfile.FileName: []byte("title: " + strconv.Quote(topic) + "\nslug: " + strconv.Quote(slug) + `
recruitment:
  prolific:
    codes: {completed: IMPORTED}
  minutes: 10
flow:
  - consent: {file: consent.md}
  - overton:
      questions: questions.csv
      responses: none
      questions_per_participant: 1
      stance: false
      importance: false
`),
	}
}

// polisMillis reads a Polis time, which is in seconds where the web server wrote
// it.
func polisMillis(n int) time.Time {
	if n < 1e11 {
		n *= 1000
	}
	return time.UnixMilli(int64(n)).UTC()
}

// polisWritten returns when each comment was written, and the latest time.
func polisWritten(dir fs.FS) (written map[string]time.Time, latest time.Time, err error) {
	written = map[string]time.Time{}
	err = eachPolisRow(dir, "comments.csv", true, func(t *table) {
		at := polisMillis(t.whole("timestamp"))
		written[strings.Clone(t.get("comment-id"))] = at
		if at.After(latest) {
			latest = at
		}
	})
	return written, latest, err
}

// polisPair is a participant and a statement; polisCast when the vote that
// counts was cast, and how many there were.
type (
	polisPair struct{ participant, statement string }
	polisCast struct {
		at   time.Time
		rows int
	}
)

// polisTimes returns when votes were cast, as far as there is a history.
func polisTimes(dir fs.FS) (map[polisPair]polisCast, error) {
	times := map[polisPair]polisCast{}
	err := eachPolisRow(dir, "votes.csv", false, func(t *table) {
		pair := polisPair{strings.Clone(t.get("voter-id")), strings.Clone(t.get("comment-id"))}
		c := times[pair]
		if at := polisMillis(t.whole("timestamp")); at.After(c.at) {
			c.at = at
		}
		c.rows++
		times[pair] = c
	})
	return times, err
}

// eachPolisRow walks a file of the export, if it is there. lax is for the free
// text of comments.
func eachPolisRow(dir fs.FS, name string, lax bool, each func(*table)) error {
	source := voteSource{dir, &Set{}}
	err := source.read(name, func(r io.Reader) error {
		t, err := openTable(r, name)
		if err != nil {
			return err
		}
		if lax {
			t.rows.loosen()
		}
		for {
			more, err := t.next()
			if err != nil {
				return err
			}
			if !more {
				return t.faults.err()
			}
			each(t)
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// voteValues are votes as answers spell them.
var voteValues = map[cluster.Vote]string{cluster.Agree: study.Agree, cluster.Neutral: study.Neutral, cluster.Disagree: study.Disagree}

// fill makes the records and statements.
func (p *PolisStudy) fill(written map[string]time.Time, times map[polisPair]polisCast, latest time.Time) {
	m := p.Votes.Matrix
	people, statements := m.Dims()
	name := func(id string) string { return p.Slug + "-" + id }
	known := map[string]bool{}
	tallies := make([]cluster.Tally, statements)
	for i := range people {
		id := m.Participant(i)
		known[id] = true
		r := study.Record{
			Pseudonym: name(id), Outcome: study.Completed, Round: 1,
			Slots: []study.RecordSlot{{Question: polisQuestion, State: "done"}},
		}
		columns, votes := m.Row(i)
		for n, j := range columns {
			statement := m.Statement(int(j)).ID
			cast, timed := times[polisPair{id, statement}]
			if !timed {
				cast = polisCast{latest, 1}
			}
			if r.Started.IsZero() || cast.at.Before(r.Started) {
				r.Started = cast.at
			}
			if cast.at.After(r.Last) {
				r.Last = cast.at
			}
			r.Answers = append(r.Answers, study.Answer{
				Key: study.Key{Kind: study.KindVote, Scope: polisQuestion, Subject: statement}, Value: voteValues[votes[n]],
				Round: 1, Shown: cast.at, Answered: cast.at, Revision: cast.rows,
			})
			r.Ballots = append(r.Ballots, study.RecordBallot{
				Statement: statement, Question: polisQuestion, Position: n + 1, Probability: 1, Candidates: 1, Round: 1, Drawn: cast.at,
			})
			switch votes[n] {
			case cluster.Agree:
				tallies[j].Agree++
			case cluster.Disagree:
				tallies[j].Disagree++
			default:
				tallies[j].Neutral++
			}
		}
		p.Records = append(p.Records, finished(r, latest))
	}
	for j := range statements {
		info := m.Statement(j)
		st := study.Statement{
			ID: info.ID, Question: polisQuestion, Text: p.Votes.Texts[info.ID], State: study.StatementServed, Created: written[info.ID],
			Drawn: tallies[j].Votes(), Agree: tallies[j].Agree, Disagree: tallies[j].Disagree, Neutral: tallies[j].Neutral,
		}
		if info.Rejected || info.Meta {
			st.State = study.StatementRejected
		}
		if info.Author != "" {
			st.Author = name(info.Author)
			if !known[info.Author] { // wrote and never voted
				known[info.Author] = true
				p.Records = append(p.Records, finished(study.Record{
					Pseudonym: st.Author, Outcome: study.Completed, Round: 1, Started: st.Created, Last: st.Created,
				}, latest))
			}
		}
		p.Statements = append(p.Statements, st)
	}
}

// finished sets the times that follow from others.
func finished(r study.Record, latest time.Time) study.Record {
	if r.Started.IsZero() {
		r.Started, r.Last = latest, latest
	}
	r.Consented, r.Ended = r.Started, r.Last
	return r
}
