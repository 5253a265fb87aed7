package window

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"overton/internal/cluster"
	"overton/internal/dataset/studyfile"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/study"
)

// Program names what made a result.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ThisProgram reads the version that the go command stamped into the binary.
func ThisProgram() Program {
	p := Program{Name: "overton", Version: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		p.Version = info.Main.Version
	}
	return p
}

// Input identifies the data that a result was computed from.
type Input struct {
	SHA256 string `json:"sha256"`
}

// People says whose data an analysis takes. Only complete submissions count.
type People string

const (
	// Auto takes real people where any has finished, else virtual ones.
	Auto    People = "auto"
	Real    People = "real"
	Virtual People = "virtual"
)

// Options are the parameters of an analysis.
type Options struct {
	Cluster   cluster.Options  `json:"cluster"`
	Score     score.Parameters `json:"score"`
	People    People           `json:"people"`
	Questions []string         `json:"questions,omitempty"` // nil: all

	// Regroupings is the number of resamples of participants in which groups
	// are found anew, for the second interval of each score; 0 for none.
	Regroupings int `json:"regroupings"`
}

// DefaultOptions are the parameters that commands and pages start from. Groups
// are found by the block model: a study knows the author of each statement, and
// people vote on few statements that hang together by when they came. It finds
// planted groups there better than projection does (docs/clustering.md).
func DefaultOptions() Options {
	o := Options{Cluster: cluster.DefaultOptions(), Score: score.DefaultParameters(), People: Auto, Regroupings: 100}
	o.Cluster.Method = cluster.Block
	return o
}

// Check returns an error that names the first parameter out of range.
func (o Options) Check() error {
	switch o.People {
	case Auto, Real, Virtual:
	default:
		return fmt.Errorf("people %q: expected real, virtual or auto", o.People)
	}
	if o.Regroupings < 0 || o.Regroupings > mostResamples {
		return fmt.Errorf("regroupings %d: expected 0 to %d", o.Regroupings, mostResamples)
	}
	if o.Score.Bootstrap > mostResamples {
		return fmt.Errorf("bootstrap %d: expected 0 to %d", o.Score.Bootstrap, mostResamples)
	}
	if err := o.Score.Check(); err != nil {
		return err
	}
	return o.Cluster.Check()
}

// mostResamples bounds the resamples of an analysis, and with it its time.
const mostResamples = 10_000

// Expect is about how long an analysis takes on two cores: measured on planted
// votes of 20 to 150 people on each question, 15 votes a person, where the time
// grows with the number of people.
func (o Options) Expect(questions, peopleEach int) time.Duration {
	find, again := 600*time.Microsecond, 50*time.Microsecond // for each person on a question
	if o.Cluster.Method == cluster.Block {
		find, again = 7*time.Millisecond, 450*time.Microsecond
	}
	return time.Duration(questions*peopleEach) * (find + time.Duration(o.Regroupings)*again)
}

// Result is one analysis of a study.
type Result struct {
	Program    Program        `json:"program"`
	Input      Input          `json:"input"`
	Study      About          `json:"study"`
	Parameters Options        `json:"parameters"`
	People     Counted        `json:"people"`
	Questions  []Question     `json:"questions"`
	Score      *score.Overton `json:"score"` // nil where nobody could be grouped or nothing was rated
}

// About says which study a result belongs to.
type About struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
	Hash  string `json:"hash"` // of the study's files
	// QuestionSet is the hash of the question set alone.
	QuestionSet string `json:"question_set"`
}

// Counted says how many people an analysis took, and how many it left out.
type Counted struct {
	Virtual    bool `json:"virtual"`
	Complete   int  `json:"complete"`
	Incomplete int  `json:"incomplete"` // left out: did not finish, or ended otherwise
	OtherKind  int  `json:"other_kind"` // left out: virtual beside real people, or the reverse
}

// Question is the window of one question: the result of its clustering with
// what it was made of.
type Question struct {
	Question   string          `json:"question"`
	Text       string          `json:"text"`
	Program    Program         `json:"program"`
	Input      Input           `json:"input"`
	Parameters cluster.Options `json:"parameters"`
	*cluster.Result
	// Ratings counts what each group gave each model.
	Ratings []score.RatingCounts `json:"ratings,omitempty"`
}

// Data is what was collected in the submissions that an analysis takes.
type Data struct {
	People  Counted
	Votes   map[string]*cluster.Matrix // by question
	Ratings score.Ratings              // without groups; one participant's on a question stand together
	hash    map[string]string          // of each question's votes
}

// Source is where collected data are read from: a store, a snapshot of one, or a
// bundle.
type Source interface {
	Records(ctx context.Context, studyID int64, each func(study.Record) error) error
	Statements(ctx context.Context, studyID int64) ([]study.Statement, error)
}

// Collect reads what an analysis takes.
func Collect(ctx context.Context, db Source, row store.Study, st *studyfile.Study, people People, questions []string) (*Data, error) {
	wanted, err := chosen(st, questions)
	if err != nil {
		return nil, err
	}
	complete, counted, err := completeRecords(ctx, db, row, people)
	if err != nil {
		return nil, err
	}
	d := &Data{People: counted}
	statements, err := db.Statements(ctx, row.ID)
	if err != nil {
		return nil, fmt.Errorf("collecting the data: %w", err)
	}
	d.gather(st, complete, statements, wanted)
	return d, nil
}

// completeRecords reads the complete submissions of the people asked for, in the
// order of their pseudonyms.
func completeRecords(ctx context.Context, db Source, row store.Study, people People) ([]study.Record, Counted, error) {
	var complete []study.Record
	kinds := map[bool]int{} // complete submissions by virtual
	all := 0
	if err := db.Records(ctx, row.ID, func(r study.Record) error {
		all++
		if r.Outcome == study.Completed {
			kinds[r.Virtual]++
			complete = append(complete, r)
		}
		return nil
	}); err != nil {
		return nil, Counted{}, fmt.Errorf("collecting the data: %w", err)
	}
	c := Counted{Virtual: people == Virtual || people == Auto && kinds[false] == 0 && kinds[true] > 0}
	c.Complete, c.OtherKind, c.Incomplete = kinds[c.Virtual], kinds[!c.Virtual], all-len(complete)
	complete = slices.DeleteFunc(complete, func(r study.Record) bool { return r.Virtual != c.Virtual })
	slices.SortStableFunc(complete, func(a, b study.Record) int { return cmp.Compare(a.Pseudonym, b.Pseudonym) })
	return complete, c, nil
}

// chosen returns the questions asked for, all of them by default.
func chosen(st *studyfile.Study, ids []string) ([]study.Question, error) {
	if ids == nil {
		return st.Questions.Questions, nil
	}
	var list []study.Question
	for _, id := range ids {
		q, ok := st.Questions.Question(id)
		if !ok {
			return nil, fmt.Errorf("the study has no question %q", id)
		}
		list = append(list, q)
	}
	return list, nil
}

// gather turns records into votes and ratings.
func (d *Data) gather(st *studyfile.Study, records []study.Record, statements []study.Statement, questions []study.Question) {
	builders := map[string]*cluster.Builder{}
	hashes := map[string]*bytes.Buffer{}
	for _, q := range questions {
		builders[q.ID], hashes[q.ID] = cluster.NewBuilder(), &bytes.Buffer{}
	}
	for _, s := range statements {
		if b := builders[s.Question]; b != nil && (s.Seed || s.Virtual == d.People.Virtual) {
			b.Statement(cluster.StatementInfo{ID: s.ID, Author: s.Author, Rejected: s.State == study.StatementRejected})
		}
	}
	demographics := attributes(st)
	d.Ratings.Attributes = append([]string{"source", "topic"}, demographics...)
	for _, r := range records {
		answers := r.Answered()
		for _, slot := range r.Slots {
			b := builders[slot.Question]
			if b == nil {
				continue
			}
			b.Participant(r.Pseudonym)
			for _, ballot := range r.Ballots {
				if ballot.Question != slot.Question {
					continue
				}
				value := answers[study.Key{Kind: study.KindVote, Scope: slot.Question, Subject: ballot.Statement}]
				if v, cast := vote(value); cast {
					b.Vote(r.Pseudonym, ballot.Statement, v)
					fmt.Fprintf(hashes[slot.Question], "%s %s %d\n", r.Pseudonym, ballot.Statement, v)
				}
			}
			q, _ := st.Questions.Question(slot.Question)
			known := []string{q.Source, q.Topic}
			for _, name := range demographics {
				known = append(known, demographic(st, answers, name))
			}
			for _, model := range slot.Models {
				value, err := strconv.ParseFloat(answers[study.Key{Kind: study.KindRating, Scope: slot.Question, Subject: model}], 64)
				if err != nil {
					continue // not answered
				}
				d.Ratings.Rows = append(d.Ratings.Rows, score.Rating{Participant: r.Pseudonym, Question: slot.Question, Model: model, Value: value, Attributes: known})
			}
		}
	}
	d.Votes, d.hash = map[string]*cluster.Matrix{}, map[string]string{}
	for id, b := range builders {
		d.Votes[id], d.hash[id] = b.Matrix(), digest(hashes[id].Bytes())
	}
}

func vote(value string) (cluster.Vote, bool) {
	switch value {
	case study.Agree:
		return cluster.Agree, true
	case study.Disagree:
		return cluster.Disagree, true
	case study.Neutral:
		return cluster.Neutral, true
	}
	return 0, false
}

// attributes names the survey items of a study, by which people can be told apart.
func attributes(st *studyfile.Study) []string {
	var names []string
	for _, b := range st.Flow {
		if b.Survey != nil {
			for _, item := range b.Survey.Items {
				names = append(names, item.ID)
			}
		}
	}
	return names
}

// demographic is a person's answer to a survey item, whatever its instrument.
func demographic(st *studyfile.Study, answers map[study.Key]string, item string) string {
	for _, b := range st.Flow {
		if b.Survey == nil {
			continue
		}
		if v, ok := answers[study.Key{Kind: study.KindSurvey, Scope: b.Survey.Instrument, Subject: item}]; ok {
			return v
		}
	}
	return ""
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// input identifies everything collected: votes and ratings.
func (d *Data) input() Input {
	var buf bytes.Buffer
	questions := make([]string, 0, len(d.hash))
	for q := range d.hash {
		questions = append(questions, q)
	}
	slices.Sort(questions)
	for _, q := range questions {
		fmt.Fprintf(&buf, "%s %s\n", q, d.hash[q])
	}
	for _, r := range d.Ratings.Rows {
		fmt.Fprintf(&buf, "%q %q %q %g %q\n", r.Participant, r.Question, r.Model, r.Value, r.Attributes)
	}
	return Input{digest(buf.Bytes())}
}

// Grouped returns the ratings with the groups that a result found.
func (d *Data) Grouped(r *Result) score.Ratings {
	groups := map[[2]string]string{} // by question and participant
	for _, q := range r.Questions {
		for _, p := range q.Participants {
			groups[[2]string{q.Question, p.ID}] = strconv.Itoa(p.Group)
		}
	}
	ratings := score.Ratings{Attributes: d.Ratings.Attributes, Rows: slices.Clone(d.Ratings.Rows)}
	for i := range ratings.Rows {
		row := &ratings.Rows[i]
		row.Group = groups[[2]string{row.Question, row.Participant}]
	}
	return ratings
}

// Steps is how many times Analyse calls step for a study of n questions.
func (o Options) Steps(n int) int { return n + o.Regroupings }

// Analyse finds the groups of each question and scores the models. step, which
// may be nil, is called after each piece of work, from several goroutines.
func Analyse(ctx context.Context, st *studyfile.Study, d *Data, o Options, step func()) (*Result, error) {
	if step == nil {
		step = func() {}
	}
	if err := o.Check(); err != nil {
		return nil, fmt.Errorf("analysing: %w", err)
	}
	questions, err := chosen(st, o.Questions)
	if err != nil {
		return nil, err
	}
	result := &Result{
		Program: ThisProgram(), Input: d.input(), Parameters: o, People: d.People,
		Study: About{Slug: st.Slug, Title: st.Title, Hash: st.Hash, QuestionSet: st.Questions.Hash()},
	}
	grouped := 0
	for _, q := range questions {
		clustered, err := cluster.Run(ctx, d.Votes[q.ID], o.Cluster)
		if err != nil {
			return nil, fmt.Errorf("finding the groups of question %s: %w", q.ID, err)
		}
		grouped += len(clustered.Participants)
		result.Questions = append(result.Questions, Question{Question: q.ID, Text: q.Text, Program: result.Program,
			Input: Input{d.hash[q.ID]}, Parameters: o.Cluster, Result: clustered})
		step()
	}
	if grouped == 0 || len(d.Ratings.Rows) == 0 {
		return result, nil
	}
	ratings := d.Grouped(result)
	for i := range result.Questions {
		result.Questions[i].Ratings = score.Distribution(ratings, result.Questions[i].Question)
	}
	if result.Score, err = score.OvertonScore(ratings, o.Score); err != nil {
		return nil, fmt.Errorf("scoring the models: %w", err)
	}
	if o.Regroupings > 0 {
		if err := Resample(ctx, result.Score, ratings, o.Regroupings, d.Regroup(result), step); err != nil {
			return nil, fmt.Errorf("regrouping: %w", err)
		}
	}
	return result, nil
}

// Regroup finds the groups of a result of d anew.
func (d *Data) Regroup(r *Result) score.Regroup {
	found := map[string]*cluster.Result{}
	for _, q := range r.Questions {
		found[q.Question] = q.Result
	}
	return Regroup(d.Votes, found, r.Parameters.Cluster)
}

// Resample fills in the intervals from n regroupings, whatever the number of
// question-level resamples is.
func Resample(ctx context.Context, o *score.Overton, ratings score.Ratings, n int, regroup score.Regroup, step func()) error {
	asked := o.Parameters.Bootstrap
	o.Parameters.Bootstrap = n
	err := o.BootstrapParticipants(ctx, ratings, regroup, step)
	o.Parameters.Bootstrap = asked
	return err
}

// LoadStudy reads a study of the store with its files.
func LoadStudy(ctx context.Context, db *store.Store, slug string) (store.Study, *studyfile.Study, error) {
	row, err := db.Study(ctx, slug)
	if err != nil {
		return row, nil, err
	}
	files, err := db.StudyFiles(ctx, row.ID)
	if err != nil {
		return row, nil, err
	}
	st, err := studyfile.Read(studyfile.Files(files))
	if err != nil {
		return row, nil, fmt.Errorf("reading the files of study %q: %w", slug, err)
	}
	if st.Hash != row.Hash {
		return row, nil, errors.New("the files of study " + slug + " do not match its hash")
	}
	return row, st, nil
}
