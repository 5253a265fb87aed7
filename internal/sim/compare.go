package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overton/internal/cluster"
	"overton/internal/study"
)

// Stored is what a site, or a file made from it, has of one submission. Name is any name by which it is known
// there.
type Stored struct {
	Name    string
	Answers []StoredAnswer
}

// StoredAnswer is an answer with the texts that it refers to, so that it can be compared with what a person
// read and sent. Field is the item of a survey or the number of a check; Shown is the response rated, or the
// statement voted on.
type StoredAnswer struct {
	Kind                   study.Kind
	Question, Shown, Field string
	Value                  string
}

// FromRecord makes a Stored from a record. The texts come from the question set and the statements.
func FromRecord(r study.Record, set *study.QuestionSet, statements map[string]study.Statement) Stored {
	s := Stored{Name: r.Pseudonym}
	for _, a := range r.Answers {
		stored := StoredAnswer{Kind: a.Key.Kind, Value: a.Value}
		switch a.Key.Kind {
		case study.KindSurvey, study.KindCheck:
			stored.Field = a.Key.Subject
		case study.KindRating:
			response, _ := set.Response(a.Key.Scope, a.Key.Subject)
			stored.Shown = response.Text
		case study.KindVote:
			stored.Shown = statements[a.Key.Subject].Text
		}
		switch a.Key.Kind {
		case study.KindStance, study.KindView, study.KindImportance, study.KindRating, study.KindVote:
			q, _ := set.Question(a.Key.Scope)
			stored.Question = q.Text
		}
		s.Answers = append(s.Answers, stored)
	}
	return s
}

// Comparison is the result of Compare.
type Comparison struct {
	Equal       map[study.Kind]int `json:"equal"` // answers that are stored as they were sent
	Differences []Difference       `json:"differences"`
	Unsettled   int                `json:"unsettled"` // answers that may or may not have arrived

	// Joined is the position in Truth.People of the person whom a stored submission belongs to, by its name.
	Joined map[string]int `json:"-"`
}

// Difference is one answer that was not stored as it was sent. Sent is "" for
// an answer that nobody sent, Stored for one that is missing; an answer that
// is "" is quoted.
type Difference struct {
	Participant string     `json:"participant"` // "": the stored submission is nobody's
	Name        string     `json:"name"`        // "": nothing is stored of the person
	Kind        study.Kind `json:"kind"`
	Question    string     `json:"question,omitempty"`
	Shown       string     `json:"shown,omitempty"`
	Field       string     `json:"field,omitempty"`
	Sent        string     `json:"sent"`
	Stored      string     `json:"stored"`
}

// about is what an answer answers.
type about struct {
	kind                   study.Kind
	question, shown, field string
}

// sheet is all of a submission's answers. If two statements on a question have the same words, there are two
// votes on one text.
type sheet map[about][]string

func (s sheet) add(a about, value string) {
	s[a] = append(s[a], value)
	slices.Sort(s[a])
}

// same counts the answers that two sheets have in common.
func (s sheet) same(t sheet) (n int) {
	for a, values := range s {
		n += len(common(values, t[a]))
	}
	return n
}

func (s sheet) size() (n int) {
	for _, values := range s {
		n += len(values)
	}
	return n
}

// common is what two sorted lists have in common.
func common(a, b []string) (both []string) {
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Compare(a[0], b[0]); {
		case c == 0:
			both = append(both, a[0])
			a, b = a[1:], b[1:]
		case c < 0:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return both
}

// without is a sorted list minus the entries of another.
func without(a, less []string) []string {
	a = slices.Clone(a)
	for _, v := range less {
		if i := slices.Index(a, v); i >= 0 {
			a = slices.Delete(a, i, i+1)
		}
	}
	return a
}

// sheet is what a person sent.
func (t *Truth) sheet(answers []Answer) sheet {
	s := sheet{}
	for _, a := range answers {
		if strings.HasPrefix(a.Page, "p/") {
			about := about{kind: a.Kind, question: t.Texts[a.Question], shown: t.Texts[a.Shown]}
			switch a.Kind {
			case study.KindSurvey:
				about.field = a.Field
			case study.KindCheck:
				about.field = strings.TrimPrefix(a.Page, "p/check")
			case study.KindStance, study.KindView, study.KindImportance:
				about.shown = ""
			}
			s.add(about, a.Value)
		}
	}
	return s
}

func (s Stored) sheet() sheet {
	all := sheet{}
	for _, a := range s.Answers {
		all.add(about{a.Kind, fold(a.Question), fold(a.Shown), a.Field}, a.Value)
	}
	return all
}

// Compare reports every answer that was acknowledged but not stored as it was sent, and every stored answer
// that nobody sent. Stored submissions have no participant id, so each is joined to the person whose answers
// are most like its own.
func Compare(t *Truth, stored []Stored) Comparison {
	sent, held := make([]sheet, len(t.People)), make([]sheet, len(stored))
	like := make([]sheet, len(t.People)) // sent, and what may have arrived
	for i, p := range t.People {
		sent[i] = t.sheet(p.Answers)
		like[i] = t.sheet(slices.Concat(p.Answers, p.Unsettled))
	}
	for i, s := range stored {
		held[i] = s.sheet()
	}
	c := Comparison{Equal: map[study.Kind]int{}, Joined: map[string]int{}}
	owner := join(sent, like, held)
	found := make([]bool, len(sent))
	for i, s := range stored {
		who, ok := owner[i]
		if !ok {
			c.differ(Difference{Name: s.Name}, nil, held[i], nil)
			continue
		}
		found[who] = true
		c.Joined[s.Name] = who
		p := t.People[who]
		c.Unsettled += len(p.Unsettled)
		c.differ(Difference{Participant: p.Participant, Name: s.Name}, sent[who], held[i], t.sheet(p.Unsettled))
	}
	for i, p := range t.People {
		if !found[i] {
			c.Unsettled += len(p.Unsettled)
			c.differ(Difference{Participant: p.Participant}, sent[i], nil, t.sheet(p.Unsettled))
		}
	}
	return c
}

// differ compares two sheets. An unsettled answer may or may not be stored, instead of an earlier one to the
// same question.
func (c *Comparison) differ(d Difference, sent, held, unsettled sheet) {
	var all []about
	for a := range sent {
		all = append(all, a)
	}
	for a := range held {
		if sent[a] == nil {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b about) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.question, b.question), cmp.Compare(a.field, b.field),
			cmp.Compare(a.shown, b.shown))
	})
	for _, a := range all {
		both := common(sent[a], held[a])
		c.Equal[a.kind] += len(both)
		missing, extra := without(sent[a], both), without(held[a], both)
		for _, v := range unsettled[a] {
			if i := slices.Index(extra, v); i >= 0 {
				extra = slices.Delete(extra, i, i+1)
				missing = missing[:max(0, len(missing)-1)]
			}
		}
		for i := range max(len(missing), len(extra)) {
			d := d
			d.Kind, d.Question, d.Shown, d.Field = a.kind, a.question, a.shown, a.field
			if i < len(missing) {
				d.Sent = quoteEmpty(missing[i])
			}
			if i < len(extra) {
				d.Stored = quoteEmpty(extra[i])
			}
			c.Differences = append(c.Differences, d)
		}
	}
}

func quoteEmpty(v string) string {
	if v == "" {
		return `""`
	}
	return v
}

// join finds the owner of each stored sheet: first by equality of all answers, then by the most answers in
// common minus those that differ, counting what may have arrived. Sheets without an answer belong to nobody.
func join(sent, like, held []sheet) map[int]int {
	owner, taken := map[int]int{}, map[int]bool{}
	exact := map[string][]int{}
	for i, s := range sent {
		if len(s) > 0 {
			exact[s.key()] = append(exact[s.key()], i)
		}
	}
	for i, s := range held {
		if list := exact[s.key()]; len(list) > 0 {
			owner[i], taken[list[0]] = list[0], true
			exact[s.key()] = list[1:]
		}
	}
	type pair struct{ held, sent, score int }
	var pairs []pair
	for i, h := range held {
		if _, ok := owner[i]; ok || len(h) == 0 {
			continue
		}
		for j, s := range like {
			if n := h.same(s); !taken[j] && n > 0 {
				pairs = append(pairs, pair{i, j, 3*n - h.size() - s.size()})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.score, a.score) })
	for _, p := range pairs {
		if _, ok := owner[p.held]; !ok && !taken[p.sent] {
			owner[p.held], taken[p.sent] = p.sent, true
		}
	}
	return owner
}

// key is equal for equal sheets.
func (s sheet) key() string {
	lines := make([]string, 0, len(s))
	for a, values := range s {
		lines = append(lines, fmt.Sprintf("%q %q", a, values))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Recovery is the adjusted Rand index of groups found on one question and those planted. found is the group
// of each stored submission, by its name. Careless people, whose votes follow from no group, do not count.
func (t *Truth) Recovery(joined map[string]int, found map[string]int) (index float64, people int) {
	var planted, labels []int
	for name, group := range found {
		if i, ok := joined[name]; ok && !t.People[i].Careless {
			planted, labels = append(planted, t.People[i].Group), append(labels, group)
		}
	}
	return cluster.AdjustedRand(planted, labels), len(labels)
}
