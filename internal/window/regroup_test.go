package window

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"overton/internal/cluster"
	"overton/internal/score"
)

// camps plants votes of participants p0, p1, … who are of camp i mod groups
// and vote as their camp does, save for a tenth of the votes.
func camps(participants, statements, votes, groups int, seed uint64) *cluster.Matrix {
	rng := rand.New(rand.NewPCG(seed, 0))
	opinion := make([][]cluster.Vote, groups)
	for g := range opinion {
		for range statements {
			opinion[g] = append(opinion[g], cluster.Vote(2*rng.IntN(2)-1))
		}
	}
	b := cluster.NewBuilder()
	for i := range participants {
		for _, j := range rng.Perm(statements)[:votes] {
			v := opinion[i%groups][j]
			if rng.IntN(10) == 0 {
				v = cluster.Vote(rng.IntN(3) - 1)
			}
			b.Vote(fmt.Sprint("p", i), fmt.Sprint(j), v)
		}
	}
	return b.Matrix()
}

func TestRegroupFindsTheCampsAmongTheDrawn(t *testing.T) {
	t.Parallel()
	regroup := Regroup(map[string]*cluster.Matrix{"q": camps(40, 30, 30, 2, 1)}, nil, cluster.DefaultOptions())
	drawn := []string{"p0", "p0", "p2", "stranger", "p4", "p6", "p8", "p1", "p3", "p3", "p5", "p7", "p9", "p11", "p10"}
	labels, err := regroup(t.Context(), "q", drawn, 7)
	if err != nil {
		t.Fatal(err)
	}
	if labels[3] != -1 {
		t.Errorf("who has not voted is in group %d", labels[3])
	}
	for i, id := range drawn {
		same := labels[i] == labels[0]
		if even := (id[len(id)-1]-'0')%2 == 0; id != "stranger" && same != even {
			t.Errorf("%s is in group %d, p0 in group %d", id, labels[i], labels[0])
		}
	}
	again, err := regroup(t.Context(), "q", drawn, 7)
	if err != nil || !slices.Equal(labels, again) {
		t.Errorf("the same seed gives %v, then %v (%v)", labels, again, err)
	}
	if _, err := regroup(t.Context(), "other", drawn, 7); err == nil {
		t.Error("a question without votes was grouped")
	}
}

func TestRegroupLeavesOneGroupOne(t *testing.T) {
	t.Parallel()
	found := map[string]*cluster.Result{"q": {K: 1}}
	regroup := Regroup(map[string]*cluster.Matrix{"q": camps(40, 30, 30, 2, 1)}, found, cluster.DefaultOptions())
	labels, err := regroup(t.Context(), "q", []string{"p0", "p1", "stranger"}, 7)
	if err != nil || !slices.Equal(labels, []int{0, 0, -1}) {
		t.Errorf("labels %v, %v", labels, err)
	}
}

// paperSized plants a study of the size of OvertonBench: 1,208 participants on 3 of
// 60 questions, 8 models, 15 votes on each question.
func paperSized() (score.Ratings, map[string]*cluster.Matrix) {
	const participants, questions, each, models = 1208, 60, 3, 8
	var r score.Ratings
	seated := make([]int, questions)
	for p := range participants {
		for i := range each {
			q := (p*each + i) % questions
			camp := seated[q] % 4
			for m := range models {
				r.Rows = append(r.Rows, score.Rating{
					Participant: fmt.Sprint("p", seated[q]), Question: fmt.Sprint(q), Model: fmt.Sprint("m", m),
					Value: float64(2 + (camp*3+m*5+q)%4), Group: fmt.Sprint(camp),
				})
			}
			seated[q]++
		}
	}
	votes := map[string]*cluster.Matrix{}
	for q := range questions {
		votes[fmt.Sprint(q)] = camps(seated[q], seated[q], 15, 4, uint64(q))
	}
	return r, votes
}

// BenchmarkRegroup finds the groups of 60 questions again in 100 resamples of
// the participants of a study of the paper's size.
func BenchmarkRegroup(b *testing.B) {
	r, votes := paperSized()
	p := score.DefaultParameters()
	p.Bootstrap = 100
	var before, after runtime.MemStats
	for b.Loop() {
		o, err := score.OvertonScore(r, p)
		if err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&before)
		if err := o.BootstrapParticipants(b.Context(), r, Regroup(votes, nil, cluster.DefaultOptions()), func() {}); err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
	}
	b.ReportMetric(float64(after.Sys)/1e6, "MB-from-OS")
}
