package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"overton/internal/study"
)

func TestPacesAreMeasuredOncePeopleFinished(t *testing.T) {
	t.Parallel()
	st := testStudy(1, 1, 50)
	b := newBench(t, st)
	ctx := context.Background()
	walk := func(person string, seconds func(study.StepKind) int) {
		t.Helper()
		token := b.start(person)
		pos := b.position(token)
		for pos.Step.Kind != study.StepEnd {
			shown := b.clock()
			took := seconds(pos.Step.Kind)
			b.pass(time.Duration(took) * time.Second)
			var err error
			if pos, _, err = b.Submit(ctx, st, token, pos.Step.Path, answer(pos.Step, nil), Timing{Shown: shown}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range fewestTimed {
		if paces, err := b.Paces(ctx, "test"); err != nil || paces[study.StepRating] != study.DefaultPaces()[study.StepRating] {
			t.Fatalf("after %d people: %+v, %v", i, paces[study.StepRating], err)
		}
		walk(fmt.Sprint("p", i), func(kind study.StepKind) int {
			if kind == study.StepRating {
				return 10 + i // 10 to 29: the median is 19.5
			}
			return 5
		})
	}
	paces, err := b.Paces(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	if got := paces[study.StepRating]; got.Seconds != 19.5 || got.Source != "this study, latest 20 people" {
		t.Errorf("a rating takes %+v", got)
	}
	if got := paces[study.StepView]; got.Seconds != 5 {
		t.Errorf("a view takes %+v", got)
	}
	items := 0
	for _, block := range st.Flow {
		if block.Survey != nil {
			items = min(len(block.Survey.Items), block.Survey.PerPage)
		}
	}
	if got := paces[study.StepSurvey]; items > 0 && got.Seconds != 5/float64(items) {
		t.Errorf("a survey item takes %+v with %d on a page", got, items)
	}
	other, err := b.Paces(ctx, "another")
	if err != nil || other[study.StepRating].Source != "all studies here, latest 20 people" {
		t.Errorf("for another study: %+v, %v", other[study.StepRating], err)
	}
}
