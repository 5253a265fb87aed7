// Command overton is the researcher's command line: it makes and launches
// studies, rehearses them with virtual participants, and does all analysis
// offline, files in and files out.
//
// Exit status: 0 success, 1 the input or the result is not acceptable (the reason is on standard error), 2
// wrong usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes one command line and returns the exit status. It is the whole program, so tests can call it
// with their own arguments and writers.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "overton:", err)
	var usage usageError
	if errors.As(err, &usage) {
		return 2
	}
	return 1
}

// newRoot builds the command tree. Each command is in the file that has its name and is added here.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "overton",
		Short:         "Run studies of the Overton window and score how much of it models cover",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          subcommandOnly,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(
		newStudy(),
		newPlan(),
		newAdmin(),
		newSimulate(),
		newWindow(),
		newCluster(),
		newScore(),
		newReport(),
		newImport(),
		newExport(),
		newReproduce(),
		newBackup(),
		newRestore(),
		newDoctor(),
		newLLM(),
	)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	return root
}

// usageError marks an error in the command line itself: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef makes a usageError from a format string.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// usageArgs makes a failed cobra argument check count as wrong usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%w\nusage: %s", err, cmd.UseLine())
		}
		return nil
	}
}

// subcommandOnly rejects stray words after a command that only groups others.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	for _, near := range cmd.SuggestionsFor(args[0]) {
		err = fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return usageError{err}
}
