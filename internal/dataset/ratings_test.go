package dataset

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"overton/internal/score"
)

const ratingsCSV = `user,question_id,source,model,representation_rating,cluster_kmeans
p1,3,prism,m1,5,0
p1,3,prism,m2,1.5,0
p2,3,prism,m1,,
`

func wantRatings() score.Ratings {
	return score.Ratings{Attributes: []string{"source"}, Rows: []score.Rating{
		{Participant: "p1", Question: "3", Model: "m1", Value: 5, Group: "0", Attributes: []string{"prism"}},
		{Participant: "p1", Question: "3", Model: "m2", Value: 1.5, Group: "0", Attributes: []string{"prism"}},
		{Participant: "p2", Question: "3", Model: "m1", Value: math.NaN(), Attributes: []string{"prism"}},
	}}
}

// checkRatings compares with wantRatings, NaN equal to NaN.
func checkRatings(t *testing.T, got score.Ratings) {
	t.Helper()
	want := wantRatings()
	if len(got.Rows) == 3 && math.IsNaN(got.Rows[2].Value) {
		got.Rows[2].Value, want.Rows[2].Value = 0, 0
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRatingsReadTheSameFromEveryFormat(t *testing.T) {
	type row struct {
		User     string   `parquet:"user"`
		Question int64    `parquet:"question_id"`
		Source   string   `parquet:"source"`
		Model    string   `parquet:"model"`
		Rating   *float64 `parquet:"representation_rating,optional"`
		Cluster  float64  `parquet:"cluster_kmeans"`
	}
	five, low := 5.0, 1.5
	var columnar bytes.Buffer
	w := parquet.NewGenericWriter[row](&columnar)
	if _, err := w.Write([]row{
		{"p1", 3, "prism", "m1", &five, 0}, {"p1", 3, "prism", "m2", &low, 0}, {"p2", 3, "prism", "m1", nil, math.NaN()},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	lines := `{"user":"p1","question_id":3,"model":"m1","representation_rating":5,"cluster_kmeans":0,"source":"prism"}

{"source":"prism","user":"p1","question_id":"3","model":"m2","representation_rating":1.5,"cluster_kmeans":"0"}
{"user":"p2","question_id":3,"model":"m1","representation_rating":null,"source":"prism"}
`
	for name, content := range map[string][]byte{
		"CSV":               []byte(ratingsCSV),
		"CSV with BOM":      []byte("\uFEFF" + ratingsCSV),
		"CSV with CRLF":     []byte(strings.ReplaceAll(ratingsCSV, "\n", "\r\n")),
		"JSON, line by one": []byte(lines),
		"Parquet":           columnar.Bytes(),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadRatings("r", content, DefaultGroupColumn)
			if err != nil {
				t.Fatal(err)
			}
			checkRatings(t, got)
		})
	}
}

func TestParquetRatingsOfOtherTypesReadAlike(t *testing.T) {
	type source struct {
		Name string   `parquet:"name"`
		Tags []string `parquet:"tags"`
	}
	type row struct {
		User     []byte   `parquet:"user"`
		Question string   `parquet:"question_id,dict"`
		Model    string   `parquet:"model,enum"`
		Rating   *float32 `parquet:"representation_rating,optional"`
		Cluster  *int32   `parquet:"cluster_kmeans,optional"`
		Source   *source  `parquet:"source,optional"`
	}
	var file bytes.Buffer
	five, low, zero := float32(5), float32(1.5), int32(0)
	w := parquet.NewGenericWriter[row](&file)
	if _, err := w.Write([]row{
		{[]byte("p1"), "3", "m1", &five, &zero, &source{"prism", []string{"a", "b"}}}, {[]byte("p1"), "3", "m2", &low, &zero, nil}, {[]byte("p2"), "3", "m1", nil, nil, nil},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRatings("r.parquet", file.Bytes(), DefaultGroupColumn)
	if err != nil {
		t.Fatal(err)
	}
	if attributes := got.Rows[0].Attributes; !reflect.DeepEqual(got.Attributes, []string{"source.name", "source.tags"}) || !reflect.DeepEqual(attributes, []string{"prism", "a;b"}) {
		t.Errorf("nested columns %q are %q", got.Attributes, attributes)
	}
	want := wantRatings()
	for i := range want.Rows {
		g, w := got.Rows[i], want.Rows[i]
		if g.Participant != w.Participant || g.Question != w.Question || g.Model != w.Model || g.Group != w.Group ||
			g.Value != w.Value && !(math.IsNaN(g.Value) && math.IsNaN(w.Value)) {
			t.Errorf("row %d is %+v, want %+v", i+1, g, w)
		}
	}
}

func TestFaultyRatingsSayWhereAndWhat(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "r.csv: is empty; expected a header and rows"},
		{"header alone", "user,question_id,model,representation_rating,cluster_kmeans\n", "r.csv: has no ratings"},
		{"no group column", "user,question_id,model,representation_rating\n", "r.csv:1: cluster_kmeans is missing; the columns are user, question_id, model, representation_rating"},
		{"rating out of range", strings.Replace(ratingsCSV, ",5,", ",6,", 1), `r.csv:2: representation_rating "6" is not a rating; expected a number from 1 to 5`},
		{"rating in words", strings.Replace(ratingsCSV, ",5,", ",five,", 1), `representation_rating "five" is not a rating`},
		{"NaN", strings.Replace(ratingsCSV, ",5,", ",NaN,", 1), `representation_rating "NaN" is not a rating`},
		{"no user", strings.Replace(ratingsCSV, "p1,3,prism,m2", ",3,prism,m2", 1), `r.csv:3: user is empty`},
		{"twice", ratingsCSV + "p1,3,prism,m1,4,0\n", `r.csv:5: model "m1" is rated again by user p1 on question 3; line 2 already has a rating`},
		{"twice, in two submissions", "user,question_id,model,representation_rating,cluster_kmeans,submission\np1,3,m1,4,0,1\np1,3,m1,5,0,2\n",
			`r.csv:3: model "m1" is rated again by user p1 on question 3; line 2 already has a rating, from submission 1 (this is 2): keep the rows of one submission of each user`},
		{"blanks around a model", strings.Replace(ratingsCSV, "m2", "m2 ", 1), `r.csv:3: model "m2 " has spaces around it; expected "m2"`},
		{"blanks around a group", strings.Replace(ratingsCSV, "1.5,0", "1.5, 0", 1), `r.csv:3: cluster_kmeans " 0" has spaces around it; expected "0"`},
		{"blank user", strings.Replace(ratingsCSV, "p1,3,prism,m2", " ,3,prism,m2", 1), `r.csv:3: user " " has spaces around it`},
		{"near column name", strings.Replace(ratingsCSV, "user,", "User_ID,", 1), `r.csv:1: user is missing; is the column "User_ID" meant?`},
		{"semicolons", strings.ReplaceAll(ratingsCSV, ",", ";"), "r.csv:1: is separated by semicolons; expected commas"},
		{"JSON array", `[{"user":"p1"}]`, "r.csv: is one JSON array; expected JSONL, an object on each line"},
		{"two groups", strings.Replace(ratingsCSV, "1.5,0", "1.5,1", 1), `r.csv:3: cluster_kmeans "1" is another group for user p1 on question 3; line 2 says "0"`},
		{"ragged", ratingsCSV + "p1,3\n", "r.csv:5: has 2 cells; expected 6"},
		{"open quote", ratingsCSV + "\"p1,3", "r.csv:5: starts a row with a quoted cell that is not closed well"},
		{"column twice", "user,user\n", `r.csv:1: user is the name of columns 1 and 2; expected each name once`},
		{"broken JSON", "{\"user\":\n", "r.csv:1: is not one JSON object"},
		{"broken Parquet", "PAR1 and nothing else", "is not a complete Parquet file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadRatings("r.csv", []byte(c.content), DefaultGroupColumn)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestManyFaultsAreCounted(t *testing.T) {
	content := "user,question_id,model,representation_rating,cluster_kmeans\n" + strings.Repeat("p,,m,1,0\n", 30)
	_, err := ReadRatings("r.csv", []byte(content), DefaultGroupColumn)
	if err == nil {
		t.Fatal("30 faulty rows were accepted")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != "and 39 more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}
