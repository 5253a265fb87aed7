package study

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// careful is the record of someone who did as asked on two questions.
func careful(st *Study) Record {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	r := Record{Outcome: Completed}
	add := func(k Key, value string, took time.Duration) {
		r.Answers = append(r.Answers, Answer{Key: k, Value: value, Shown: at, Answered: at.Add(took), Revision: 1})
		at = at.Add(took)
	}
	for q := range 2 {
		question := fmt.Sprint(q)
		r.Slots = append(r.Slots, RecordSlot{Question: question, Models: []string{"m1", "m2", "m3"}, State: "done"})
		add(Key{Kind: KindView, Scope: question}, fmt.Sprint("I believe that we should all take more time for each other, thing ", q), time.Minute)
		for m := range 3 {
			add(Key{KindRating, question, fmt.Sprint("m", m+1)}, fmt.Sprint(m+1), 20*time.Second)
		}
		for v := range 5 {
			add(Key{KindVote, question, fmt.Sprint("s", q, v)}, []string{Agree, Disagree, Skip}[v%3], 5*time.Second)
		}
	}
	add(checkKey(0), "2", 5*time.Second)
	return r
}

func TestCarelessnessIsFlaggedAndCareIsNot(t *testing.T) {
	t.Parallel()
	st := sample(2)
	response := strings.Repeat("some people say that the one thing matters while others hold that it does not ", 4) // 60 words: 6 seconds at 600 a minute
	for i := range st.Questions.Responses {
		st.Questions.Responses[i].Text = response
	}
	st.Questions.Questions[0].Text = "Should everybody in this country be paid the same amount for the same work?"
	each := func(kind Kind, change func(n int, a *Answer)) func(*Record) {
		return func(r *Record) {
			n := 0
			for i := range r.Answers {
				if r.Answers[i].Key.Kind == kind {
					change(n, &r.Answers[i])
					n++
				}
			}
		}
	}
	fast := func(first int) func(*Record) {
		return each(KindRating, func(n int, a *Answer) {
			if n < first {
				a.Active = 5 * time.Second
			}
		})
	}
	view := func(text string) func(*Record) {
		return each(KindView, func(n int, a *Answer) {
			if n == 0 {
				a.Value = text
			}
		})
	}
	for _, c := range []struct {
		name   string
		change func(*Record)
		want   string
	}{
		{"care", func(*Record) {}, ""},
		{"half of the ratings faster than reading", fast(3), "too_fast 3/6"},
		{"some ratings faster than reading", fast(2), ""},
		{"too fast only where an answer was changed later", each(KindRating, func(n int, a *Answer) { a.Active, a.Revision = time.Second, 2 }), ""},
		{"time in front counts, not the time open", each(KindRating, func(n int, a *Answer) { a.Answered, a.Active = a.Shown.Add(time.Hour), time.Second }), "too_fast 6/6"},
		{"the same rating each time", each(KindRating, func(n int, a *Answer) { a.Value = "4" }), "same_ratings 6/6"},
		{"the same rating but once", each(KindRating, func(n int, a *Answer) { a.Value = fmt.Sprint(4 + n/5) }), ""},
		{"the same vote each time", each(KindVote, func(n int, a *Answer) { a.Value = Agree }), "same_votes 10/10"},
		{"everything skipped", each(KindVote, func(n int, a *Answer) { a.Value = Skip }), "same_votes 10/10"},
		{"a failed check", each(KindCheck, func(n int, a *Answer) { a.Value = "3" }), "failed_checks 1/1"},
		{"an empty view", view("idk"), "empty_response 1/2"},
		{"the question as a view", view("everybody in this country be paid the same amount for the same work"), "copied_response 1/2"},
		{"a model response as a view", view("Some people say that the one thing matters, while others hold that it does not."), "copied_response 1/2"},
		{"a view that quotes a little", view("Whether everybody in this country earns enough is another thing; I would rather see that we look after the old."), ""},
		{"one view for two questions", each(KindView, func(n int, a *Answer) { a.Value = "We should all take more time for each other, I think!" }), "copied_response 1/2"},
		{"a short view twice", each(KindView, func(n int, a *Answer) { a.Value = "Leave it as it is." }), ""},
	} {
		r := careful(st)
		c.change(&r)
		var got []string
		for _, f := range st.flags(&r) {
			got = append(got, f.String())
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: flags %q, want %q", c.name, s, c.want)
		}
	}
	if flags := st.flags(&Record{}); len(flags) != 0 {
		t.Errorf("somebody who only arrived has the flags %v", flags)
	}
}
