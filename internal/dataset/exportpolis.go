package dataset

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"overton/internal/cluster"
	"overton/internal/study"
)

// Polis is the layout of the published exports of Polis, one folder per question under polis/:
// participants-votes.csv, votes.csv, comments.csv, summary.csv, with agree as +1. Polis identifies people and
// statements by numbers; ids.csv maps the numbers to ids. It contains what real participants did, or what
// virtual ones did if there are no real votes at all.
const Polis Format = "polis"

// polisBallot is one vote as it goes into votes.csv.
type polisBallot struct {
	participant, statement string
	vote                   cluster.Vote
	at                     time.Time
}

// polisCollector gathers the votes of an export by question, separately for real and virtual participants.
type polisCollector [2]map[string][]polisBallot

func newPolisCollector() *polisCollector {
	return &polisCollector{map[string][]polisBallot{}, map[string][]polisBallot{}}
}

// add writes a file of known content. rows is 0 where it has none.
func (c *polisCollector) add(v *visit, b study.RecordBallot, answer study.Answer) {
	vote, cast := map[string]cluster.Vote{study.Agree: cluster.Agree, study.Neutral: cluster.Neutral, study.Disagree: cluster.Disagree}[answer.Value]
	if !cast {
		return
	}
	kind := 0
	if v.Virtual {
		kind = 1
	}
	c[kind][b.Question] = append(c[kind][b.Question], polisBallot{v.Pseudonym, b.Statement, vote, answer.Answered})
}

// write makes all files of the export, its manifest last.
func (c *polisCollector) write(e *Export, to target, m *Manifest) error {
	virtual := len(c[0]) == 0
	votes := c[0]
	if virtual {
		votes = c[1]
	}
	for _, q := range e.Study.Questions.Questions {
		statements, err := e.StatementsOn(q.ID)
		if err != nil {
			return err
		}
		statements = slices.DeleteFunc(statements, func(st study.Statement) bool { return !st.Seed && st.Virtual != virtual })
		if len(statements) == 0 && len(votes[q.ID]) == 0 {
			continue
		}
		for _, f := range newPolisConversation(q, statements, votes[q.ID], e.Groups[q.ID]).files(e) {
			if err := m.add(to, "polis/"+fileName(q.ID)+"/"+f.name, f.rows(), f.content()); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileName makes an id suitable as a folder's name: a character that is not a letter, digit, dash or
// underscore becomes its number.
func fileName(id string) string {
	var b strings.Builder
	for _, r := range id {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "%%%X", r)
		}
	}
	return b.String()
}

// polisConversation is one question with people and statements numbered.
type polisConversation struct {
	question    study.Question
	statements  []study.Statement
	participant map[string]int
	people      []string // by number
	statement   map[string]int
	votes       []polisBallot // in order of statement, participant, time
	latest      map[[2]int]cluster.Vote
	groups      map[string]string
}

// newPolisConversation numbers the statements in the order written, and the
// people in the order of their first vote or statement.
func newPolisConversation(q study.Question, statements []study.Statement, votes []polisBallot, groups map[string]string) *polisConversation {
	c := &polisConversation{
		question: q, statements: slices.Clone(statements), votes: slices.Clone(votes), groups: groups,
		participant: map[string]int{}, statement: map[string]int{}, latest: map[[2]int]cluster.Vote{},
	}
	slices.SortStableFunc(c.statements, func(a, b study.Statement) int {
		return cmp.Or(a.Created.Compare(b.Created), cluster.CompareIDs(a.ID, b.ID))
	})
	type arrival struct {
		id string
		at time.Time
	}
	var arrivals []arrival
	for n, st := range c.statements {
		c.statement[st.ID] = n
		if st.Author != "" {
			arrivals = append(arrivals, arrival{st.Author, st.Created})
		}
	}
	for _, v := range c.votes {
		arrivals = append(arrivals, arrival{v.participant, v.at})
	}
	slices.SortFunc(arrivals, func(a, b arrival) int { return cmp.Or(a.at.Compare(b.at), cluster.CompareIDs(a.id, b.id)) })
	for _, a := range arrivals {
		if _, known := c.participant[a.id]; !known {
			c.participant[a.id] = len(c.people)
			c.people = append(c.people, a.id)
		}
	}
	slices.SortStableFunc(c.votes, func(a, b polisBallot) int {
		return cmp.Or(cmp.Compare(c.statement[a.statement], c.statement[b.statement]),
			cmp.Compare(c.participant[a.participant], c.participant[b.participant]), a.at.Compare(b.at))
	})
	for _, v := range c.votes {
		c.latest[[2]int{c.participant[v.participant], c.statement[v.statement]}] = v.vote
	}
	return c
}

// polisFile is one CSV file, header first.
type polisFile struct {
	name  string
	lines [][]string
}

func (f polisFile) rows() int { return len(f.lines) - 1 }

func (f polisFile) content() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.WriteAll(f.lines) // a buffer takes everything
	return b.Bytes()
}

// polisTime is how Polis writes a time in words.
func polisTime(t time.Time) string { return t.UTC().Format("Mon Jan 02 15:04:05 UTC 2006") }

func (c *polisConversation) files(e *Export) []polisFile {
	history := polisFile{"votes.csv", [][]string{{"timestamp", "datetime", "comment-id", "voter-id", "vote"}}}
	agrees, disagrees := make([]int, len(c.statements)), make([]int, len(c.statements))
	for _, v := range c.votes {
		s := c.statement[v.statement]
		switch v.vote {
		case cluster.Agree:
			agrees[s]++
		case cluster.Disagree:
			disagrees[s]++
		}
		history.lines = append(history.lines, []string{
			strconv.FormatInt(v.at.UnixMilli(), 10), polisTime(v.at), strconv.Itoa(s), strconv.Itoa(c.participant[v.participant]), strconv.Itoa(int(v.vote)),
		})
	}
	comments := polisFile{"comments.csv", [][]string{{"timestamp", "datetime", "comment-id", "author-id", "agrees", "disagrees", "moderated", "is-meta", "is-seed", "comment-body"}}}
	ids := polisFile{"ids.csv", [][]string{{"kind", "number", "id"}}}
	written := make([]int, len(c.people))
	for s, st := range c.statements {
		author := ""
		if st.Author != "" {
			author = strconv.Itoa(c.participant[st.Author])
			written[c.participant[st.Author]]++
		}
		comments.lines = append(comments.lines, []string{
			strconv.FormatInt(st.Created.UnixMilli(), 10), polisTime(st.Created), strconv.Itoa(s), author, strconv.Itoa(agrees[s]), strconv.Itoa(disagrees[s]),
			polisModeration(st.State), "false", strconv.FormatBool(st.Seed), st.Text,
		})
		ids.lines = append(ids.lines, []string{"statement", strconv.Itoa(s), st.ID})
	}
	for n, id := range c.people {
		ids.lines = append(ids.lines, []string{"participant", strconv.Itoa(n), id})
	}
	commenters := 0
	for _, n := range written {
		if n > 0 {
			commenters++
		}
	}
	matrix, voters := c.matrix(written)
	groups := map[string]bool{}
	for _, g := range c.groups {
		groups[g] = true
	}
	summary := polisFile{"summary.csv", [][]string{
		{"topic", c.question.Text},
		{"url", ""},
		{"views", strconv.Itoa(len(c.people))},
		{"voters", strconv.Itoa(voters)},
		{"voters-in-conv", strconv.Itoa(len(c.groups))},
		{"commenters", strconv.Itoa(commenters)},
		{"comments", strconv.Itoa(len(c.statements))},
		{"groups", strconv.Itoa(len(groups))},
		{"conversation-description", e.Study.Title},
	}}
	return []polisFile{matrix, history, comments, summary, ids}
}

// polisModeration is Polis' number for a statement's state.
func polisModeration(s study.StatementState) string {
	switch s {
	case study.StatementRejected:
		return "-1"
	case study.StatementPending:
		return "0"
	}
	return "1"
}

// matrix makes participants-votes.csv; participants without a vote have no row,
// statements without one no column.
func (c *polisConversation) matrix(written []int) (f polisFile, voters int) {
	f = polisFile{name: "participants-votes.csv"}
	header := []string{"participant", "group-id", "n-comments", "n-votes", "n-agree", "n-disagree"}
	voted := make([]bool, len(c.statements))
	for cell := range c.latest {
		voted[cell[1]] = true
	}
	for s, has := range voted {
		if has {
			header = append(header, strconv.Itoa(s))
		}
	}
	f.lines = append(f.lines, header)
	// The rows are in the order of the smallest statement voted on.
	listed := map[int]bool{}
	for _, v := range c.votes {
		p := c.participant[v.participant]
		if listed[p] {
			continue
		}
		listed[p] = true
		row := []string{strconv.Itoa(p), c.groups[v.participant], strconv.Itoa(written[p]), "", "", ""}
		votes, agree, disagree := 0, 0, 0
		for s, has := range voted {
			if !has {
				continue
			}
			vote, cast := c.latest[[2]int{p, s}]
			if !cast {
				row = append(row, "")
				continue
			}
			votes++
			switch vote {
			case cluster.Agree:
				agree++
			case cluster.Disagree:
				disagree++
			}
			row = append(row, strconv.Itoa(int(vote)))
		}
		row[3], row[4], row[5] = strconv.Itoa(votes), strconv.Itoa(agree), strconv.Itoa(disagree)
		f.lines = append(f.lines, row)
	}
	return f, len(listed)
}
