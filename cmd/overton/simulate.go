package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/dataset/studyfile"
	"overton/internal/sim"
	"overton/internal/window"
)

// simulateFile is the JSON of "simulate --truth".
type simulateFile struct {
	Program window.Program `json:"program"`
	*sim.Truth
}

func newSimulate() *cobra.Command {
	o := sim.Options{}
	var truthFile, opinions, folder, db string
	cmd := &cobra.Command{
		Use:   "simulate --url URL --study SLUG --participants N",
		Short: "Rehearse a study with virtual participants",
		Long: `Send virtual participants through the pages of a running site, as people walk
them: each with a browser of their own, in planted viewpoint groups that rate
and vote alike, until N have finished or no place is left. Some go back, reload,
click twice or change browsers. The site marks their answers as virtual.

--truth writes down which group each of them belongs to and every answer that
was acknowledged. With --folder people answer surveys from planted opinions, and
with --db what an analysis finds in the site's database is set beside them. The
exit status is 1 if somebody who meant to finish could not.`,
		Args: usageArgs(cobra.NoArgs),
	}
	f := cmd.Flags()
	f.StringVar(&o.URL, "url", "", "address of the site, such as http://127.0.0.1:8080 (`URL`)")
	f.StringVar(&o.Study, "study", "", "the study, as in its link (`SLUG`)")
	f.IntVar(&o.Participants, "participants", 0, "how many are to finish; those who leave come on top")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of who comes and what they answer; use each once on a study")
	f.IntVar(&o.Groups, "groups", 3, "planted viewpoint groups")
	f.StringVar(&truthFile, "truth", "", "write what was planted and sent as JSON to this `FILE`")
	f.IntVar(&o.Concurrency, "concurrency", 10, "people at a time")
	f.Float64Var(&o.DropOut, "drop-out", 0, "share of people who leave on the way")
	f.Float64Var(&o.Decline, "decline", 0, "share of people who give no consent")
	f.Float64Var(&o.Noise, "noise", 0.1, "share of ratings, votes and stances that have nothing to do with the person's group")
	f.StringVar(&opinions, "opinions", "", "free responses to say (`PATH`): a table with the columns question and freeresponse, or a study's folder with opinions.csv and stances.csv")
	f.StringVar(&folder, "folder", "", "the study's folder (`DIR`): people answer its surveys from planted opinions")
	f.StringVar(&db, "db", "", "the site's database (`FILE`), with --folder: compare what its surveys come to with what was planted")
	f.StringVar(&o.Parameters.Participant, "participant-parameter", "PROLIFIC_PID", "parameter of the link with the participant's id")
	f.StringVar(&o.Parameters.Study, "study-parameter", "STUDY_ID", "parameter of the link with the recruiter's id of the study")
	f.StringVar(&o.Parameters.Submission, "submission-parameter", "SESSION_ID", "parameter of the link with the submission's id")
	f.DurationVar(&o.ServerWait, "server-wait", 2*time.Minute, "how long to wait for a site that does not answer")
	f.DurationVar(&o.PlaceWait, "place-wait", time.Hour, "how long to wait while all places are taken for now")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if o.URL == "" || o.Study == "" || o.Participants < 1 {
			return usagef("--url, --study and --participants are needed\nusage: %s", cmd.UseLine())
		}
		if opinions != "" {
			if o.Beliefs, err = readBeliefs(opinions); err != nil {
				return err
			}
		}
		if folder != "" {
			if o.Surveyed, err = studyfile.Read(os.DirFS(folder)); err != nil {
				return err
			}
		}
		if db != "" && folder == "" {
			return usagef("--db is for a comparison with planted opinions, which take --folder\nusage: %s", cmd.UseLine())
		}
		bar := progress(cmd.ErrOrStderr(), "finished", o.Participants)
		o.Progress = func(int) { bar.Add(1) }
		truth, failure := sim.Run(cmd.Context(), o)
		bar.Finish()
		if truth == nil {
			return failure
		}
		if truthFile != "" {
			if err := writeJSON(cmd.OutOrStdout(), truthFile, simulateFile{window.ThisProgram(), truth}); err != nil {
				return err
			}
		}
		if truthFile != "-" {
			if err := printSimulated(cmd.OutOrStdout(), o.Participants, truth); err != nil {
				return err
			}
		}
		if failure == nil && db != "" {
			return compareSurveys(cmd.Context(), cmd.OutOrStdout(), db, o, truth)
		}
		return failure
	}
	return cmd
}

// readBeliefs reads what people are to say from a table or a folder.
func readBeliefs(path string) (*sim.Beliefs, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading opinions: %w", err)
	}
	if info.IsDir() {
		return sim.ReadBeliefs(os.DirFS(path))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading opinions: %w", err)
	}
	return sim.ReadOpinions(filepath.Base(path), content)
}

// printSimulated tells a person how a run went.
func printSimulated(w io.Writer, wanted int, t *sim.Truth) error {
	s := t.Summary
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("finished", "%d of %d", s.Finished, wanted)
	line("dropped out", "%d", s.DroppedOut)
	line("declined", "%d", s.Declined)
	line("turned away", "%d", s.TurnedAway)
	line("failed", "%d", s.Failed)
	for g, group := range t.Groups {
		line(fmt.Sprintf("group %d", g), "%d people", group.Size)
	}
	line("pages sent", "%d", s.Pages)
	line("on the way", "%d changed an answer, %d reloaded, %d clicked twice, %d changed browsers, %d came back, %d forgot an answer",
		s.Changed, s.Reloaded, s.DoubleClick, s.Browsers, s.Returned, s.TooEarly)
	line("requests", "%d in %.1f s, %.0f a second", s.Requests, s.Seconds, s.PerSecond)
	line("took", "%.1f ms in the middle, %.1f ms at the 99th percentile, %.1f ms at most", s.P50, s.P99, s.Slowest)
	line("tried again", "%d without a good answer, %d for a place", s.Retried, s.NotNow)
	return table.Flush()
}
