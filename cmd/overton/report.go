package main

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/figure"
	"overton/internal/score"
	"overton/internal/store"
	"overton/internal/window"
)

// reportOptions are the flags of "report".
type reportOptions struct {
	overtonOptions
	db, study   string
	people      string
	regroupings int
	outsideName string
	out         string
}

func newReport() *cobra.Command {
	o := reportOptions{overtonOptions: overtonOptions{Parameters: score.DefaultParameters()}}
	cmd := &cobra.Command{
		Use:   "report (RATINGS | --db FILE --study SLUG) --out DIR",
		Short: "Write all scores and figures as one page",
		Long: `Write all scores and figures as one page that needs no server, from a file of
ratings or from a study in the database. Into the folder DIR go report.html,
result.json with every number, and the figures as SVG and PNG.`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Missing = score.Missing(o.missing)
			if o.out == "" || (len(args) == 1) == (o.study != "") {
				return usagef("a report needs --out and either a file of ratings or --study\nusage: %s", cmd.UseLine())
			}
			var r *report
			var err error
			if o.study != "" {
				err = withStore(cmd.Context(), o.db, func(db *store.Store) error {
					r, err = reportStudy(cmd.Context(), cmd.ErrOrStderr(), db, o)
					return err
				})
			} else {
				r, err = reportFile(cmd.Context(), cmd.ErrOrStderr(), args[0], o)
			}
			if err != nil {
				return err
			}
			if err := r.writeTo(o.out); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(o.out, "report.html"))
			return nil
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.db, "db", "overton.db", "the database `FILE`")
	f.StringVar(&o.study, "study", "", "the study's slug")
	f.StringVar(&o.people, "people", string(window.Auto), "of a study, whose data: real, virtual, or auto (real where anybody finished)")
	f.IntVar(&o.regroupings, "regroupings", window.DefaultOptions().Regroupings, "of a study, resamples of participants in which groups are found anew")
	f.StringVar(&o.outsideName, "outside-name", "outside score", "what the outside score is called")
	f.StringVar(&o.out, "out", "", "folder for the report")
	return cmd
}

// report is what the page is made of.
type report struct {
	Title string `json:"title"`
	*overtonResult
	// Study, Windows and People are of a study; nil for a ratings file.
	Study       *window.About     `json:"study,omitempty"`
	People      *window.Counted   `json:"people,omitempty"`
	Windows     []window.Question `json:"windows,omitempty"`
	OutsideName string            `json:"-"`
	Regroupings int               `json:"regroupings"`

	texts map[string]string // of the statements
}

func reportFile(ctx context.Context, stderr io.Writer, path string, o reportOptions) (*report, error) {
	result, err := scoreOverton(ctx, stderr, path, o.overtonOptions)
	if err != nil {
		return nil, err
	}
	return &report{Title: "OvertonScore of " + filepath.Base(path), overtonResult: result, OutsideName: o.outsideName, Regroupings: o.Bootstrap}, nil
}

func reportStudy(ctx context.Context, stderr io.Writer, db *store.Store, o reportOptions) (*report, error) {
	row, st, err := window.LoadStudy(ctx, db, o.study)
	if err != nil {
		return nil, err
	}
	data, err := window.Collect(ctx, db, row, st, window.People(o.people), nil)
	if err != nil {
		return nil, err
	}
	options := window.DefaultOptions()
	options.Score, options.People, options.Regroupings = o.Parameters, window.People(o.people), o.regroupings
	options.Cluster.Seed = o.Seed
	bar := progress(stderr, "analysing", options.Steps(len(st.Questions.Questions)))
	found, err := window.Analyse(ctx, st, data, options, func() { _ = bar.Add(1) })
	if err != nil {
		return nil, err
	}
	if found.Score == nil {
		return nil, fmt.Errorf("study %s: nobody could be grouped, so there is nothing to report", o.study)
	}
	result := &overtonResult{
		Program: found.Program, Input: input{File: o.study, SHA256: found.Input.SHA256}, Inputs: map[string]input{},
		Group: "found in the votes", Overton: found.Score, ratings: data.Grouped(found),
	}
	if err := o.addMore(result); err != nil {
		return nil, err
	}
	statements, err := db.Statements(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	r := &report{Title: found.Study.Title, overtonResult: result, Study: &found.Study, People: &found.People, Windows: found.Questions,
		OutsideName: o.outsideName, Regroupings: o.regroupings, texts: map[string]string{}}
	for _, s := range statements {
		r.texts[s.ID] = s.Text
	}
	return r, nil
}

// writeTo writes the page, the numbers and the figures into a folder.
func (r *report) writeTo(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "figures"), 0o755); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	var page strings.Builder
	if err := reportPage.Execute(&page, r); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.html"), []byte(page.String()), 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	for name, draw := range r.figures() {
		f := draw(figure.Wide)
		png, err := f.PNG(3)
		if err != nil {
			return err
		}
		for ending, content := range map[string][]byte{".svg": f.SVG(), ".png": png} {
			if err := os.WriteFile(filepath.Join(dir, "figures", name+ending), content, 0o644); err != nil {
				return fmt.Errorf("writing the figures: %w", err)
			}
		}
	}
	return writeJSON(io.Discard, filepath.Join(dir, "result.json"), r)
}

// figures are the drawings of the whole study, by name, for any width.
func (r *report) figures() map[string]func(width float64) *figure.Figure {
	figures := map[string]func(width float64) *figure.Figure{
		"leaderboard": func(w float64) *figure.Figure { return figure.Leaderboard(r.Overton, w) },
		"curve":       func(w float64) *figure.Figure { return figure.Curve(r.Overton, w) },
		"coverage":    func(w float64) *figure.Figure { return figure.CoverageMatrix(r.Overton, w) },
	}
	if r.Outside != nil {
		figures["outside"] = func(w float64) *figure.Figure { return figure.Outside(r.Outside, r.OutsideName, w) }
	}
	for i, q := range r.Questions {
		name := fmt.Sprintf("question-%d-", i+1)
		figures[name+"coverage"] = func(w float64) *figure.Figure {
			return figure.QuestionMatrix(q, figure.Models(r.Overton), r.Parameters.Tau, w)
		}
		figures[name+"ratings"] = func(w float64) *figure.Figure {
			return figure.Distributions(q.Question, score.Distribution(r.ratings, q.Question), w)
		}
		if found := r.window(q.Question); found != nil {
			figures[name+"window"] = func(w float64) *figure.Figure { return figure.WindowMap(q.Question, found.Result, r.texts, w) }
		}
	}
	return figures
}

func (r *report) window(question string) *window.Question {
	i := slices.IndexFunc(r.Windows, func(w window.Question) bool { return w.Question == question })
	if i < 0 {
		return nil
	}
	return &r.Windows[i]
}

// Figure draws for both a desk and a telephone; the page shows the one that fits.
func (r *report) Figure(name string) template.HTML {
	draw := r.figures()[name]
	return template.HTML(`<div class="wide">` + string(draw(figure.Wide).SVG()) + `</div><div class="narrow">` + string(draw(figure.Narrow).SVG()) + `</div>`)
}

// QuestionFigures draws what there is of the question at a position, each of
// telephone width, so that a desk shows them side by side.
func (r *report) QuestionFigures(i int) []template.HTML {
	all := r.figures()
	var drawn []template.HTML
	for _, kind := range []string{"window", "coverage", "ratings"} {
		if draw := all[fmt.Sprintf("question-%d-%s", i+1, kind)]; draw != nil {
			drawn = append(drawn, template.HTML(draw(figure.Narrow).SVG()))
		}
	}
	return drawn
}

// QuestionText is the question in words, where the data hold it.
func (r *report) QuestionText(i int) string {
	q := r.Questions[i].Question
	if w := r.window(q); w != nil {
		return w.Text
	}
	at := slices.Index(r.ratings.Attributes, "question")
	if at < 0 {
		return ""
	}
	for _, row := range r.ratings.Rows {
		if row.Question == q {
			return row.Attributes[at]
		}
	}
	return ""
}

// Best are the models, best first.
func (r *report) Best() []score.ModelScore {
	models := slices.Clone(r.Models)
	slices.SortStableFunc(models, func(a, b score.ModelScore) int { return compareDown(a.Adjusted, b.Adjusted) })
	return models
}

// LeftOutLines says what was left out, a line for each reason.
func (r *report) LeftOutLines() []string {
	lines := leftOut(r.LeftOut)
	if r.People != nil {
		if n := r.People.Incomplete; n > 0 {
			lines = append(lines, fmt.Sprintf("%d submissions that are not complete", n))
		}
		if n := r.People.OtherKind; n > 0 {
			lines = append(lines, fmt.Sprintf("%d complete submissions of the other kind (virtual or real)", n))
		}
	}
	for _, w := range r.Windows {
		reasons := map[string]int{}
		for _, who := range w.LeftOut {
			reasons[who.Reason]++
		}
		for _, reason := range slices.Sorted(maps.Keys(reasons)) {
			lines = append(lines, fmt.Sprintf("question %s: %d participants without a group: %s", w.Question, reasons[reason], reason))
		}
	}
	return lines
}

//go:embed report.html
var reportSource string

var reportPage = template.Must(template.New("report").Funcs(template.FuncMap{
	"decimals": decimals,
	"signed":   signed,
	"interval": interval,
	"p":        pValue,
	"people":   participants,
	"adjusted": func(s *score.ScoreIntervals) string {
		if s == nil {
			return "–"
		}
		return interval(s.Adjusted)
	},
}).Parse(reportSource))
