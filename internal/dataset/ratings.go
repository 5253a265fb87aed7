package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overton/internal/cluster"
	"overton/internal/score"
)

// Columns of a ratings file in the layout of OvertonBench (its data set card
// on Hugging Face): one row for each participant × question × model.
const (
	columnParticipant = "user"
	columnQuestion    = "question_id"
	columnModel       = "model"
	columnRating      = DefaultRatingColumn
	columnSubmission  = "submission" // of an export: which of the participant's

	// DefaultRatingColumn holds the rating.
	DefaultRatingColumn = "representation_rating"

	// DefaultGroupColumn holds the participant's viewpoint group on the
	// question in the published data.
	DefaultGroupColumn = "cluster_kmeans"
)

// ReadRatings reads a ratings file; see ReadTable for the formats. The
// columns user, question_id, model and representation_rating (1 to 5, or
// empty) must be there, and the one named by group, whose empty cells mean
// that the participant has none; group "" is for ratings without groups. Every
// other column becomes an attribute.
// It returns Faults that name line, column, value and what was expected.
func ReadRatings(file string, content []byte, group string) (score.Ratings, error) {
	t, err := ReadTable(file, content)
	if err != nil {
		return score.Ratings{}, err
	}
	names := []string{columnParticipant, columnQuestion, columnModel, columnRating, group}
	if group == "" {
		names = names[:4]
	}
	at, err := t.columnsNamed(names...)
	if err != nil {
		return score.Ratings{}, err
	}
	groupOf := func(row []string) string {
		if group == "" {
			return ""
		}
		return row[at[4]]
	}
	var r score.Ratings
	var extra []int
	for c, name := range t.Columns {
		if !slices.Contains(at, c) {
			extra = append(extra, c)
			r.Attributes = append(r.Attributes, name)
		}
	}

	// A cell of a table keeps its whole row in memory; texts of many rows are few.
	kept := map[string]string{}
	keep := func(cell string) string {
		if _, ok := kept[cell]; !ok {
			cell = strings.Clone(cell)
			kept[cell] = cell
		}
		return kept[cell]
	}
	var faults Faults
	firstRow := map[[3]string]int{}
	firstSeat := map[[2]string]int{}
	submission := slices.Index(t.Columns, columnSubmission)
	for i, row := range t.Rows {
		rating := score.Rating{Participant: keep(row[at[0]]), Question: keep(row[at[1]]), Model: keep(row[at[2]]), Group: keep(groupOf(row))}
		for k, c := range at {
			switch trimmed := strings.TrimSpace(row[c]); {
			case c == at[3]:
			case trimmed != row[c]:
				faults = append(faults, t.fault(i, c, fmt.Sprintf("has spaces around it; expected %q", trimmed)))
			case trimmed == "" && k < 3:
				faults = append(faults, t.fault(i, c, "is empty; expected an identifier"))
			}
		}
		var ok bool
		if rating.Value, ok = ratingValue(row[at[3]]); !ok {
			faults = append(faults, t.fault(i, at[3], "is not a rating; expected a number from 1 to 5"))
		}
		key := [3]string{rating.Participant, rating.Question, rating.Model}
		if first, ok := firstRow[key]; ok {
			message := fmt.Sprintf("is rated again by user %s on question %s; line %d already has a rating", key[0], key[1], t.Lines[first])
			if submission >= 0 && row[submission] != t.Rows[first][submission] {
				message += fmt.Sprintf(", from submission %s (this is %s): keep the rows of one submission of each user", t.Rows[first][submission], row[submission])
			}
			faults = append(faults, t.fault(i, at[2], message))
		} else {
			firstRow[key] = i
		}
		seat := [2]string{rating.Participant, rating.Question}
		if first, ok := firstSeat[seat]; !ok {
			firstSeat[seat] = i
		} else if groupOf(t.Rows[first]) != rating.Group {
			faults = append(faults, t.fault(i, at[4], fmt.Sprintf("is another group for user %s on question %s; line %d says %q", seat[0], seat[1], t.Lines[first], t.Rows[first][at[4]])))
		}
		rating.Attributes = make([]string, 0, len(extra))
		for _, c := range extra {
			rating.Attributes = append(rating.Attributes, keep(row[c]))
		}
		r.Rows = append(r.Rows, rating)
	}
	if len(r.Rows) == 0 {
		faults = append(faults, Fault{File: file, Message: "has no ratings; expected some below the header line"})
	}
	return r, faults.orNil()
}

// ReadPredictions reads a judge's ratings: a file in the layout of a ratings
// file, with the prediction (1 to 5, or empty) in the column named by column.
// It returns one prediction for each row of r, NaN where the file has none. A
// prediction for a rating that r does not have is a fault.
func ReadPredictions(file string, content []byte, column string, r score.Ratings) ([]float64, error) {
	t, err := ReadTable(file, content)
	if err != nil {
		return nil, err
	}
	at, err := t.columnsNamed(columnParticipant, columnQuestion, columnModel, column)
	if err != nil {
		return nil, err
	}
	position := make(map[[3]string]int, len(r.Rows))
	for i, row := range r.Rows {
		position[[3]string{row.Participant, row.Question, row.Model}] = i
	}
	predictions := slices.Repeat([]float64{math.NaN()}, len(r.Rows))
	var faults Faults
	seen := map[int]int{}
	for i, row := range t.Rows {
		key := [3]string{row[at[0]], row[at[1]], row[at[2]]}
		k, known := position[key]
		first, again := seen[k]
		value, ok := ratingValue(row[at[3]])
		switch {
		case !known:
			faults = append(faults, t.fault(i, at[2], fmt.Sprintf("has no human rating by user %s on question %s; expected one for every prediction", key[0], key[1])))
		case again:
			faults = append(faults, t.fault(i, at[2], fmt.Sprintf("is predicted again for user %s on question %s; line %d already has a prediction", key[0], key[1], t.Lines[first])))
		case !ok:
			faults = append(faults, t.fault(i, at[3], "is not a rating; expected a number from 1 to 5"))
		default:
			seen[k] = i
			predictions[k] = value
		}
	}
	if len(seen) == 0 && len(faults) == 0 {
		faults = append(faults, Fault{File: file, Message: "has no predictions; expected some below the header line"})
	}
	return predictions, faults.orNil()
}

// ReadOutsideScores reads a score from elsewhere: the columns model and score,
// a number.
func ReadOutsideScores(file string, content []byte) (map[string]float64, error) {
	t, err := ReadTable(file, content)
	if err != nil {
		return nil, err
	}
	at, err := t.columnsNamed(columnModel, "score")
	if err != nil {
		return nil, err
	}
	scores := map[string]float64{}
	var faults Faults
	for i, row := range t.Rows {
		value, err := strconv.ParseFloat(row[at[1]], 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			faults = append(faults, t.fault(i, at[1], "is not a number"))
		}
		if _, again := scores[row[at[0]]]; again {
			faults = append(faults, t.fault(i, at[0], "already has a score; expected one for each model"))
		}
		scores[row[at[0]]] = value
	}
	return scores, faults.orNil()
}

// ReadMargins reads the margins of a population: the columns variable, value
// and share, a number of 0 or more. Shares of a variable need not sum to 1.
// Variables and values keep the order of the file.
func ReadMargins(file string, content []byte) ([]score.Margin, error) {
	t, err := ReadTable(file, content)
	if err != nil {
		return nil, err
	}
	at, err := t.columnsNamed("variable", "value", "share")
	if err != nil {
		return nil, err
	}
	var margins []score.Margin
	var faults Faults
	for i, row := range t.Rows {
		k := slices.IndexFunc(margins, func(m score.Margin) bool { return m.Variable == row[at[0]] })
		if k < 0 {
			k = len(margins)
			margins = append(margins, score.Margin{Variable: row[at[0]]})
		}
		if slices.Contains(margins[k].Categories, row[at[1]]) {
			faults = append(faults, t.fault(i, at[1], fmt.Sprintf("already has a share of %s; expected one for each value", row[at[0]])))
		}
		share, err := strconv.ParseFloat(row[at[2]], 64)
		if err != nil || !(share >= 0) || math.IsInf(share, 0) {
			faults = append(faults, t.fault(i, at[2], "is not a share; expected a number of 0 or more"))
		}
		margins[k].Categories = append(margins[k].Categories, row[at[1]])
		margins[k].Shares = append(margins[k].Shares, share)
	}
	if len(t.Rows) == 0 {
		faults = append(faults, Fault{File: file, Message: "has no margins; expected some below the header line"})
	}
	return margins, faults.orNil()
}

// ReadQuestionVotes reads the votes behind the groups of a ratings file, in
// the layout of a study's export: the columns question_id, user, statement_id
// and vote (agree, neutral or pass, disagree; or 1, 0, -1), one vote a row.
// Statements that were skipped, or have no vote, count for nothing. It returns
// the matrix of each question.
func ReadQuestionVotes(file string, content []byte) (map[string]*cluster.Matrix, error) {
	t, err := ReadTable(file, content)
	if err != nil {
		return nil, err
	}
	at, err := t.columnsNamed(columnQuestion, columnParticipant, "statement_id", "vote")
	if err != nil {
		return nil, err
	}
	builders := map[string]*cluster.Builder{}
	var faults Faults
	for i, row := range t.Rows {
		for _, c := range at[:3] {
			if row[c] == "" {
				faults = append(faults, t.fault(i, c, "is empty; expected an identifier"))
			}
		}
		if row[at[3]] == "" || row[at[3]] == "skip" {
			continue
		}
		vote, ok := readVote(row[at[3]])
		if !ok {
			faults = append(faults, t.fault(i, at[3], "is not a vote; expected agree, neutral or disagree, or 1, 0 or -1"))
		}
		b := builders[row[at[0]]]
		if b == nil {
			b = cluster.NewBuilder()
			builders[row[at[0]]] = b
		}
		b.Vote(row[at[1]], row[at[2]], vote)
	}
	votes := make(map[string]*cluster.Matrix, len(builders))
	for question, b := range builders {
		votes[question] = b.Matrix()
	}
	return votes, faults.orNil()
}

// ratingValue reads a rating; an empty cell is a missing one, NaN. A judge's
// rating may be a fraction.
func ratingValue(cell string) (rating float64, ok bool) {
	if cell == "" {
		return math.NaN(), true
	}
	if strings.ContainsAny(cell, "xX_") { // as in code, which nobody rates in
		return 0, false
	}
	rating, err := strconv.ParseFloat(cell, 64)
	return rating, err == nil && rating >= 1 && rating <= 5
}

// Prediction is a judge's rating instead of a participant's.
type Prediction struct {
	Participant, Question, Model, Group string

	Value      float64 // NaN: no sample could be read
	Calibrated float64 // NaN: not calibrated
	Samples    int     // that came
	Unreadable int     // of these
	Method     string  // samples, or logprobs
}

// CalibratedColumn holds calibrated predictions in a file of predictions.
const CalibratedColumn = "calibrated"

// WritePredictions writes predictions in the layout of a ratings file, with the
// viewpoint groups, so that it can be scored like one. The column calibrated is
// there if any prediction is.
func WritePredictions(predictions []Prediction) []byte {
	calibrated := false
	for _, p := range predictions {
		calibrated = calibrated || !math.IsNaN(p.Calibrated)
	}
	header := []string{columnParticipant, columnQuestion, columnModel, columnRating, DefaultGroupColumn, "samples", "unreadable", "method"}
	if calibrated {
		header = append(header, CalibratedColumn)
	}
	rows := [][]string{header}
	for _, p := range predictions {
		row := []string{p.Participant, p.Question, p.Model, floatText(p.Value), p.Group, strconv.Itoa(p.Samples), strconv.Itoa(p.Unreadable), p.Method}
		if calibrated {
			row = append(row, floatText(p.Calibrated))
		}
		rows = append(rows, row)
	}
	return writeCSV(rows)
}
