package study

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// FlagKind is a reason to look at a submission before its data are used.
type FlagKind string

const (
	FlagFast    FlagKind = "too_fast"
	FlagRatings FlagKind = "same_ratings"
	FlagVotes   FlagKind = "same_votes"
	FlagChecks  FlagKind = "failed_checks"
	FlagEmpty   FlagKind = "empty_response"
	FlagCopied  FlagKind = "copied_response"
)

// FlagKinds lists all kinds in the order in which Flags returns them.
var FlagKinds = []FlagKind{FlagFast, FlagRatings, FlagVotes, FlagChecks, FlagEmpty, FlagCopied}

// Flag is one such reason, with the counts behind it.
type Flag struct {
	Kind  FlagKind
	N, Of int // so many of so many
}

// Thresholds for the flags. A flag never excludes anyone: each can happen to a person who answers honestly,
// so a person decides, and says so.
const (
	// fastest is how many words per minute a person can read. Adults silently read 238 words of nonfiction
	// per minute on average (Brysbaert 2019, Journal of Memory and Language 109), and hardly anyone follows a
	// text at 600.
	fastest = 600

	// leastFast is the minimum number of timed ratings by which pace can be judged. Half of them must be too
	// fast: after going back, a page has been read before, and Prolific does not allow judging by single
	// pages.
	leastFast = 4

	// leastSame is the minimum number of equal ratings that are flagged. In a pilot with 24 ratings per
	// person, 6 of 100 people gave the same rating each time; with very few responses many honest people do.
	leastSame = 6

	// leastVotes is the minimum number of equal votes that are flagged, counting skips.
	leastVotes = 8

	// copiedRun is how many words in a row a free response must share with what the person was shown, and
	// shared is the share of its words that must lie in such runs. Quoting an option in passing stays below.
	copiedRun    = 5
	copiedShared = 0.5
	leastCopied  = 8 // words a free response needs to be called copied
)

// flags checks a submission for signs of carelessness. It depends on the record and the study alone, not on
// what other people did, so the same record always has the same flags.
func (s *Study) flags(r *Record) []Flag {
	var flags []Flag
	add := func(f Flag, is bool) {
		if is {
			flags = append(flags, f)
		}
	}
	fast, timed := s.fastRatings(r)
	add(Flag{FlagFast, fast, timed}, timed >= leastFast && 2*fast >= timed)
	n, same := alike(r, KindRating)
	add(Flag{FlagRatings, n, n}, same && n >= leastSame)
	n, same = alike(r, KindVote)
	add(Flag{FlagVotes, n, n}, same && n >= leastVotes)
	failed, _ := s.FailedChecks(r.Answered())
	add(Flag{FlagChecks, failed, len(s.Checks)}, failed > 0)

	views, empty, copied := 0, 0, 0
	seen := map[string]bool{}
	for _, a := range r.Answers {
		if a.Key.Kind != KindView {
			continue
		}
		views++
		if looksEmpty(a.Value) {
			empty++
			continue
		}
		words := plainWords(a.Value)
		text := strings.Join(words, " ")
		if len(words) >= leastCopied && (seen[text] || s.copiedFrom(r, a.Key.Scope, words)) {
			copied++
		}
		seen[text] = true
	}
	add(Flag{FlagEmpty, empty, views}, empty > 0)
	add(Flag{FlagCopied, copied, views}, copied > 0)
	return flags
}

// fastRatings counts the ratings that came before the response could have been read, and the ratings that can
// be judged: those never changed, so that their time is that of the first reading.
func (s *Study) fastRatings(r *Record) (fast, timed int) {
	for _, a := range r.Answers {
		if a.Key.Kind != KindRating || a.Revision > 1 {
			continue
		}
		response, ok := s.Questions.Response(a.Key.Scope, a.Key.Subject)
		if !ok {
			continue
		}
		timed++
		reading := time.Duration(len(strings.Fields(response.Text))) * time.Minute / fastest
		if a.took() < reading {
			fast++
		}
	}
	return fast, timed
}

// took is how long the page was visible or, if the browser did not report that, how long it was open.
func (a Answer) took() time.Duration {
	if a.Active > 0 {
		return a.Active
	}
	return max(0, a.Answered.Sub(a.Shown))
}

// alike counts the answers of a kind and says whether all are equal.
func alike(r *Record, kind Kind) (n int, same bool) {
	first := ""
	same = true
	for _, a := range r.Answers {
		if a.Key.Kind != kind {
			continue
		}
		if n == 0 {
			first = a.Value
		}
		n++
		same = same && a.Value == first
	}
	return n, same
}

// copiedFrom says whether a free response repeats the question, its options or the model responses that the
// person was shown.
func (s *Study) copiedFrom(r *Record, question string, words []string) bool {
	q, _ := s.Questions.Question(question)
	sources := []string{q.Text, q.Option1, q.Option2}
	for _, slot := range r.Slots {
		if slot.Question == question {
			for _, model := range slot.Models {
				response, _ := s.Questions.Response(question, model)
				sources = append(sources, response.Text)
			}
		}
	}
	runs := map[string]bool{}
	for _, source := range sources {
		for run := range runsOf(plainWords(source)) {
			runs[run] = true
		}
	}
	shared := make([]bool, len(words))
	for run, at := range runsOf(words) {
		if runs[run] {
			for i := range copiedRun {
				shared[at+i] = true
			}
		}
	}
	n := 0
	for _, is := range shared {
		if is {
			n++
		}
	}
	return float64(n) >= copiedShared*float64(len(words))
}

// runsOf yields every run of copiedRun words and its position.
func runsOf(words []string) func(yield func(string, int) bool) {
	return func(yield func(string, int) bool) {
		for i := 0; i+copiedRun <= len(words); i++ {
			if !yield(strings.Join(words[i:i+copiedRun], " "), i) {
				return
			}
		}
	}
}

// plainWords are a text's words in lower case, without punctuation.
func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsMark(r) && !unicode.IsNumber(r)
	})
}

func (f Flag) String() string { return fmt.Sprintf("%s %d/%d", f.Kind, f.N, f.Of) }
