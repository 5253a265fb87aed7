package votes

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"overton/internal/cluster"
)

// polisFolder returns the folder of Polis conversations, or skips.
func polisFolder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("OVERTON_POLIS"); dir != "" {
		return dir
	}
	dir := os.Getenv("OVERTON_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "data", "polis")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no conformance data: set OVERTON_SHARED")
	}
	return dir
}

// conversation is a real conversation with Polis' own grouping of the day.
type conversation struct {
	name string
	*Set
}

func conversations(t testing.TB) []conversation {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(polisFolder(t), "openData", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	var all []conversation
	for _, dir := range dirs {
		v, err := ReadPolis(os.DirFS(dir), 0)
		if err != nil {
			t.Fatalf("%s: %v", dir, err)
		}
		all = append(all, conversation{filepath.Base(dir), v})
	}
	return all
}

// reference is what other programs made of one conversation: the adjusted Rand
// index with Polis' groups of the day of one assignment step in an equal
// projection, of plain seeded k-means, k 2 to 5, and of the Polis pipeline.
type reference struct {
	Usable       bool           `json:"usable_as_group_oracle"`
	Participants int            `json:"participants"`
	Statements   int            `json:"statements"`
	Votes        int            `json:"votes"`
	ModOut       int            `json:"mod_out_in_matrix"`
	Cells        map[string]int `json:"cells"`
	Grouped      map[string]int `json:"group_sizes"`
	ARI          struct {
		OneStep float64 `json:"onestep"`
		Plain   struct {
			K   int     `json:"k"`
			ARI float64 `json:"ari"`
		} `json:"plain"`
		Polis struct {
			K   int     `json:"k"`
			ARI float64 `json:"ari"`
		} `json:"polis_csv_order"`
	} `json:"ari"`
}

// references reads the reference values by conversation.
func references(t testing.TB) map[string]reference {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(polisFolder(t), "..", "..", "reference", "polis_expected.json"))
	if err != nil {
		t.Logf("no reference values for these conversations: %v", err)
		return nil
	}
	var all struct {
		OpenData map[string]reference `json:"openData"`
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all.OpenData
}

func group(t testing.TB, m *cluster.Matrix, o cluster.Options) *cluster.Result {
	t.Helper()
	res, err := cluster.Run(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// agreementWith is the adjusted Rand index with Polis' grouping, on those whom
// both put in a group.
func (c conversation) agreementWith(res *cluster.Result) float64 {
	var ours, theirs []int
	number := map[string]int{}
	for _, p := range res.Participants {
		g, ok := c.Groups[p.ID]
		if !ok {
			continue
		}
		if _, ok := number[g]; !ok {
			number[g] = len(number)
		}
		ours, theirs = append(ours, p.Group), append(theirs, number[g])
	}
	return cluster.AdjustedRand(ours, theirs)
}

// oneStep assigns those whom Polis grouped to the nearest centroid of Polis'
// groups in our projection, and compares.
func (c conversation) oneStep(t testing.TB) float64 {
	o := cluster.DefaultOptions()
	o.K = 1
	for id := range c.Groups {
		o.Participants = append(o.Participants, id)
	}
	res := group(t, c.Matrix, o)
	type sum struct{ x, y, n float64 }
	centers := map[string]sum{}
	for _, p := range res.Participants {
		s := centers[c.Groups[p.ID]]
		centers[c.Groups[p.ID]] = sum{s.x + float64(p.X), s.y + float64(p.Y), s.n + 1}
	}
	for n, p := range res.Participants {
		nearest := math.Inf(1)
		for g, s := range centers {
			if d := math.Hypot(float64(p.X)-s.x/s.n, float64(p.Y)-s.y/s.n); d < nearest {
				nearest = d
				res.Participants[n].Group = int(g[0]) // one letter or digit a group
			}
		}
	}
	return c.agreementWith(res)
}

func TestPolisConversationsAreReadInFull(t *testing.T) {
	want := references(t)
	for _, c := range conversations(t) {
		w, known := want[c.name]
		if !known {
			continue
		}
		n, m := c.Matrix.Dims()
		voted, rejected := map[int32]bool{}, 0
		cells := map[cluster.Vote]int{}
		for i := range n {
			columns, votes := c.Matrix.Row(i)
			for k, j := range columns {
				voted[j] = true
				cells[votes[k]]++
			}
		}
		for j := range m {
			if voted[int32(j)] && c.Matrix.Statement(j).Rejected {
				rejected++
			}
		}
		if n != w.Participants || len(voted) != w.Statements || c.Matrix.Votes() != w.Votes || rejected != w.ModOut {
			t.Errorf("%s: %d participants, %d statements, %d votes, %d rejected; want %+v", c.name, n, len(voted), c.Matrix.Votes(), rejected, w)
		}
		if cells[cluster.Agree] != w.Cells["agree(+1)"] || cells[cluster.Disagree] != w.Cells["disagree(-1)"] || c.Agree != 1 {
			t.Errorf("%s: votes %v, agree is %+d; want %v", c.name, cells, c.Agree, w.Cells)
		}
		grouped := 0
		for _, size := range w.Grouped {
			grouped += size
		}
		if len(c.Groups) != grouped {
			t.Errorf("%s: %d grouped by Polis, want %d", c.name, len(c.Groups), grouped)
		}
	}
}

func TestPolisConversationsAreGroupedAsByOthers(t *testing.T) {
	want := references(t)
	t.Log("adjusted Rand index with Polis' groups of the day, with the reference value in brackets")
	for _, c := range conversations(t) {
		o := cluster.DefaultOptions()
		ours := group(t, c.Matrix, o)
		o.KMax = 5
		five := group(t, c.Matrix, o)
		o.Method = cluster.Polis
		polis := group(t, c.Matrix, o)
		step := c.oneStep(t)
		w, known := want[c.name]
		t.Logf("%-40s one step %.3f (%.3f)  overton k %d %.3f  k to 5: k %d %.3f (%d %.3f)  polis k %d %.3f (%d %.3f)", c.name,
			step, w.ARI.OneStep, ours.K, c.agreementWith(ours), five.K, c.agreementWith(five), w.ARI.Plain.K, w.ARI.Plain.ARI,
			polis.K, c.agreementWith(polis), w.ARI.Polis.K, w.ARI.Polis.ARI)
		if !known {
			continue
		}
		if step < w.ARI.OneStep-0.02 {
			t.Errorf("%s: one step reaches %.3f, want %.3f", c.name, step, w.ARI.OneStep)
		}
		if !w.Usable {
			continue // Polis' groups come from another rule there
		}
		if five.K != w.ARI.Plain.K || c.agreementWith(five) < w.ARI.Plain.ARI-0.005 {
			t.Errorf("%s: overton finds k %d, %.3f; want %+v", c.name, five.K, c.agreementWith(five), w.ARI.Plain)
		}
		if polis.K != w.ARI.Polis.K || math.Abs(c.agreementWith(polis)-w.ARI.Polis.ARI) > 0.001 {
			t.Errorf("%s: polis finds k %d, %.3f; want %+v", c.name, polis.K, c.agreementWith(polis), w.ARI.Polis)
		}
	}
}

func TestRowAndColumnOrderDoNotMatter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	o := cluster.DefaultOptions()
	o.Resamples = 2 // of each kind, which is enough to show a difference
	tries := 20
	if underRace {
		tries = 1
	}
	for _, c := range conversations(t) {
		want, err := json.Marshal(group(t, c.Matrix, o))
		if err != nil {
			t.Fatal(err)
		}
		for try := range tries {
			runtime.GOMAXPROCS(1 + try%2)
			shuffled := permuted(c.Matrix, rand.New(rand.NewPCG(9, uint64(try))))
			got, err := json.Marshal(group(t, shuffled, o))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: permutation %d changed the result", c.name, try)
			}
		}
	}
}

// permuted returns the matrix with rows and columns in a random order.
func permuted(m *cluster.Matrix, rng *rand.Rand) *cluster.Matrix {
	rows, cols := m.Dims()
	b := cluster.NewBuilder()
	for _, j := range rng.Perm(cols) {
		b.Statement(m.Statement(j))
	}
	for _, i := range rng.Perm(rows) {
		columns, votes := m.Row(i)
		b.Participant(m.Participant(i))
		for n := range columns {
			b.Vote(m.Participant(i), m.Statement(int(columns[n])).ID, votes[n])
		}
	}
	return b.Matrix()
}
