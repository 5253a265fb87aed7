package setup

import (
	"math"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"overton/internal/cluster"
	"overton/internal/study"
	"overton/templates"
	pages "overton/templates/setup"
	"overton/web/site"
)

// term is one assumption about recruiting. A share is typed as percent.
type term struct {
	name, label, hint string
	unit, most        float64
	of                func(*study.Terms) *float64
}

var allTerms = []term{
	{"pay", "Pay per hour", "Prolific recommends at least $12 or £9.", 1, 1e6,
		func(t *study.Terms) *float64 { return &t.HourlyPay }},
	{"fee", "Fee, percent of the pay", "Look up yours on Prolific: it differs between universities and companies.", 100, 1e4,
		func(t *study.Terms) *float64 { return &t.Fee }},
	{"returned", "Percent who return their place", "13.4 in the pilot.", 100, 99,
		func(t *study.Terms) *float64 { return &t.Returned }},
	{"unfinished", "Percent of the others who do not finish", "2.9 in the pilot.", 100, 99,
		func(t *study.Terms) *float64 { return &t.Unfinished }},
}

// terms reads the assumptions from a form, and gives its fields. What makes no
// sense stays as usual.
func terms(c echo.Context) (t study.Terms, fields []templates.Field) {
	t = study.DefaultTerms(cluster.DefaultOptions().MinVotes)
	for _, f := range allTerms {
		at := f.of(&t)
		typed := c.FormValue(f.name)
		if typed != pages.Decimal(*at*f.unit) { // which may be rounded
			if v, err := parseDecimal(typed); err == nil && v >= 0 && v <= f.most {
				*at = v / f.unit
			}
		}
		fields = append(fields, templates.Field{ID: "t-" + f.name, Name: f.name, Label: f.label, Hint: f.hint, Kind: "text",
			Value: pages.Decimal(*at * f.unit)})
	}
	return t, fields
}

// parseDecimal reads a number that people type, with a comma or a point.
func parseDecimal(typed string) (float64, error) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(typed), ",", "."), 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = strconv.ErrRange
	}
	return v, err
}

// plan computes what a draft's numbers lead to.
func (s *Room) plan(c echo.Context, h *site.Hosted, d *draft) (study.Plan, error) {
	paces, err := s.Store.Paces(c.Request().Context(), h.Row.Slug)
	if err != nil {
		return study.Plan{}, err
	}
	st := study.Study{Definition: d.Definition, Questions: h.Questions}
	assumed, _ := terms(c)
	return st.Design().Plan(paces, assumed), nil
}
