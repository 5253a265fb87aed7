package web

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"overton/internal/cluster"
	"overton/internal/dataset/studyfile"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
)

// largeResult is that of 600 people, each on 3 of 30 questions with 15 votes on
// what the others wrote, and 8 models.
func largeResult(b *testing.B) *window.Result {
	b.Helper()
	o := window.DefaultOptions()
	o.Cluster.Method = cluster.Overton // what finds them is no matter for the pages
	r := &window.Result{Program: window.ThisProgram(), Parameters: o, People: window.Counted{Complete: 600}}
	var ratings score.Ratings
	rng := rand.New(rand.NewPCG(1, 1))
	for q := range 30 {
		id := fmt.Sprint("qid-", q+1)
		votes := cluster.NewBuilder()
		for i := range 60 {
			for _, j := range rng.Perm(60)[:15] {
				v := cluster.Agree
				if i%3 != j%3 && rng.IntN(5) > 0 {
					v = cluster.Disagree
				}
				votes.Vote(fmt.Sprintf("person-%d", (q*20+i)%600), fmt.Sprint(q*60+j), v)
			}
		}
		found, err := cluster.Run(b.Context(), votes.Matrix(), o.Cluster)
		if err != nil {
			b.Fatal(err)
		}
		for _, p := range found.Participants {
			for m := range 8 {
				ratings.Rows = append(ratings.Rows, score.Rating{Participant: p.ID, Question: id, Model: fmt.Sprint("model-", m), Value: float64(1 + rng.IntN(5)), Group: fmt.Sprint(p.Group)})
			}
		}
		r.Questions = append(r.Questions, window.Question{Question: id, Text: "What about matter " + id + "?", Parameters: o.Cluster, Result: found})
	}
	for i := range r.Questions {
		r.Questions[i].Ratings = score.Distribution(ratings, r.Questions[i].Question)
	}
	var err error
	if r.Score, err = score.OvertonScore(ratings, o.Score); err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkAnalysisPages asks for the pages of a result of 600 people.
func BenchmarkAnalysisPages(b *testing.B) {
	ctx := b.Context()
	db, err := store.Open(ctx, filepath.Join(b.TempDir(), "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	st, err := studyfile.Read(studyFolder(nil))
	if err != nil {
		b.Fatal(err)
	}
	row, err := db.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files})
	if err != nil {
		b.Fatal(err)
	}
	for range 2 {
		if err := window.Record(ctx, db, row, largeResult(b)); err != nil {
			b.Fatal(err)
		}
	}
	account, err := db.CreateAccount(ctx, store.Account{Email: "r@example.org", Role: "admin"})
	if err != nil {
		b.Fatal(err)
	}
	token, err := db.SignIn(ctx, account, time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	site, err := New(ctx, Config{Store: db, Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range []string{"/analysis", "/runs", "/runs/1", "/runs/1/questions/qid-1", "/runs/compare?a=1&b=2", "/runs/1/figures/leaderboard.png", "/runs/1/figures/coverage.svg", "/runs/1/result.json"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequest(http.MethodGet, "/admin/studies/small"+path, nil)
				r.AddCookie(&http.Cookie{Name: accountCookie, Value: token})
				answer := httptest.NewRecorder()
				if site.ServeHTTP(answer, r); answer.Code != http.StatusOK {
					b.Fatalf("status %d", answer.Code)
				}
				b.ReportMetric(float64(answer.Body.Len()), "bytes")
			}
		})
	}
}
