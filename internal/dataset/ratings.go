package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"overton/internal/score"
)

// Columns of a ratings file in the layout of OvertonBench (its data set card
// on Hugging Face): one row for each participant × question × model.
const (
	columnParticipant = "user"
	columnQuestion    = "question_id"
	columnModel       = "model"
	columnRating      = "representation_rating"

	// DefaultGroupColumn holds the participant's viewpoint group on the
	// question in the published data.
	DefaultGroupColumn = "cluster_kmeans"
)

// ReadRatings reads a ratings file; see ReadTable for the formats. The
// columns user, question_id, model and representation_rating (1 to 5, or
// empty) must be there, and the one named by group, whose empty cells mean
// that the participant has none. Every other column becomes an attribute.
// It returns Faults that name line, column, value and what was expected.
func ReadRatings(file string, content []byte, group string) (score.Ratings, error) {
	t, err := ReadTable(file, content)
	if err != nil {
		return score.Ratings{}, err
	}
	at, err := t.columnsNamed(columnParticipant, columnQuestion, columnModel, columnRating, group)
	if err != nil {
		return score.Ratings{}, err
	}
	var r score.Ratings
	var extra []int
	for c, name := range t.Columns {
		if !slices.Contains(at, c) {
			extra = append(extra, c)
			r.Attributes = append(r.Attributes, name)
		}
	}

	var faults Faults
	firstRow := map[[3]string]int{}
	firstSeat := map[[2]string]int{}
	for i, row := range t.Rows {
		rating := score.Rating{Participant: row[at[0]], Question: row[at[1]], Model: row[at[2]], Group: row[at[4]]}
		for _, c := range at[:3] {
			if row[c] == "" {
				faults = append(faults, t.fault(i, c, "is empty; expected an identifier"))
			}
		}
		var ok bool
		if rating.Value, ok = ratingValue(row[at[3]]); !ok {
			faults = append(faults, t.fault(i, at[3], "is no rating; expected a number from 1 to 5"))
		}
		key := [3]string{rating.Participant, rating.Question, rating.Model}
		if first, ok := firstRow[key]; ok {
			faults = append(faults, t.fault(i, at[2], fmt.Sprintf("is rated again by user %s on question %s; line %d has a rating already", key[0], key[1], t.Lines[first])))
		} else {
			firstRow[key] = i
		}
		seat := [2]string{rating.Participant, rating.Question}
		if first, ok := firstSeat[seat]; !ok {
			firstSeat[seat] = i
		} else if t.Rows[first][at[4]] != rating.Group {
			faults = append(faults, t.fault(i, at[4], fmt.Sprintf("is another group for user %s on question %s; line %d says %q", seat[0], seat[1], t.Lines[first], t.Rows[first][at[4]])))
		}
		for _, c := range extra {
			rating.Attributes = append(rating.Attributes, row[c])
		}
		r.Rows = append(r.Rows, rating)
	}
	if len(r.Rows) == 0 {
		faults = append(faults, Fault{File: file, Message: "has no ratings; expected some below the header line"})
	}
	return r, faults.orNil()
}

// ratingValue reads a rating; an empty cell is a missing one, NaN. A judge's
// rating may be a fraction.
func ratingValue(cell string) (rating float64, ok bool) {
	if cell == "" {
		return math.NaN(), true
	}
	rating, err := strconv.ParseFloat(cell, 64)
	return rating, err == nil && rating >= 1 && rating <= 5
}
