package votes

import (
	"context"
	"encoding/json"
	"testing"

	"overton/internal/cluster"
)

// grouped checks that whatever was read can be grouped by every method and
// written down, and that a result is whole.
func grouped(t *testing.T, v *Set, err error) {
	if err != nil {
		return
	}
	n, _ := v.Matrix.Dims()
	for _, method := range cluster.Methods() {
		o := cluster.DefaultOptions()
		o.Method, o.Starts, o.Resamples, o.KMax = method, 2, 2, 4
		res, err := cluster.Run(context.Background(), v.Matrix, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Participants)+len(res.LeftOut) != n {
			t.Fatalf("%s: %d grouped and %d left out of %d", method, len(res.Participants), len(res.LeftOut), n)
		}
		for _, p := range res.Participants {
			if p.X != p.X || p.Y != p.Y {
				t.Fatalf("%s: participant %q stands nowhere", method, p.ID)
			}
		}
		if _, err := json.Marshal(res); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzReadLong(f *testing.F) {
	f.Add("participant,statement,vote\na,1,agree\nb,1,-1\na,1,0\n", "statement,author,moderated,meta,text\n1,a,-1,true,\"x\n\"\n")
	f.Add("vote,participant,statement\n1,\"a\"\"b\",\n", "")
	f.Fuzz(func(t *testing.T, votes, statements string) {
		name := ""
		if statements != "" {
			name = "s.csv"
		}
		v, err := ReadLong(folderOf("v.csv", votes, "s.csv", statements), "v.csv", name)
		grouped(t, v, err)
	})
}

func FuzzReadPolis(f *testing.F) {
	f.Add(polisMatrix, "", polisComments, 0)
	f.Add("", "timestamp,datetime,comment-id,voter-id,vote\n5,x,0,5,-1\n6,x,0,5,1\n", polisComments, 1)
	f.Add("", "timestamp,comment-id,voter-id,vote\n1500000000,0,5,-1\n", "", -1)
	f.Fuzz(func(t *testing.T, matrix, history, comments string, agree int) {
		var pairs []string
		for name, content := range map[string]string{"participants-votes.csv": matrix, "votes.csv": history, "comments.csv": comments} {
			if content != "" {
				pairs = append(pairs, name, content)
			}
		}
		v, err := ReadPolis(folderOf(pairs...), max(-1, min(1, agree)))
		grouped(t, v, err)
	})
}

func FuzzReadPolisAPI(f *testing.F) {
	f.Add(`[{"pid":5,"tid":0,"vote":-1,"modified":"9"},{"participant_id":"6","statement_id":1.0,"vote":1,"modified":3e9}]`, `[{"tid":0,"pid":5,"mod":1,"agree_count":2,"is_meta":true,"txt":"a"}]`)
	f.Fuzz(func(t *testing.T, votes, comments string) {
		dir := folderOf("votes.json", votes)
		if comments != "" {
			dir = folderOf("votes.json", votes, "comments.json", comments)
		}
		v, err := ReadPolisAPI(dir, "votes.json", 0)
		grouped(t, v, err)
	})
}
