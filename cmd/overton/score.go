package main

import (
	"github.com/spf13/cobra"
)

// newScore groups the commands that compute a metric from files.
func newScore() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Compute a metric from files",
		Args:  subcommandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newScoreOverton(), newScoreJudge(), newScorePobs(), newScoreOpinionQA(), newScoreGlobalOpinionQA(), newScoreSurvey())
	return cmd
}
