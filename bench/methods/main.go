// Command methods measures how well groups are found and scores are estimated,
// on studies and votes whose truth is known, and writes the tables of
// docs/clustering.md and docs/metrics.md:
//
//	go run ./bench/methods planted --draws 20
//	go run ./bench/methods heldout --draws 5 FOLDER
//	go run ./bench/methods routing --studies 20
//	go run ./bench/methods intervals --studies 200
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	root := &cobra.Command{Use: "methods", Short: "Measure methods where the truth is known", SilenceUsage: true}
	root.AddCommand(newPlanted(), newHeldOut(), newRouting(), newIntervals())
	err := root.ExecuteContext(ctx)
	stop()
	if err != nil {
		os.Exit(1)
	}
}
