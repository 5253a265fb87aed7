package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"overton/internal/store"
)

func newBackup() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database to a new file, even while the server runs",
		Long: `Copy the database to a new file. The server can keep running; the copy is
one file with everything that was saved when it began.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	path := databaseFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := withStore(cmd.Context(), *path, func(db *store.Store) error { return db.Backup(cmd.Context(), args[0]) }); err != nil {
			return err
		}
		if err := examine(cmd, args[0]); err != nil {
			return fmt.Errorf("the copy is damaged: %w", err)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "Copied %s to %s and checked the copy.\n", *path, args[0])
		return nil
	}
	return cmd
}

func newRestore() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore the database from a backup",
		Long: `Restore the database from a backup. The backup is checked first. A database that
already exists is never overwritten: move it first.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	path := databaseFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, file := range []string{*path, *path + "-wal", *path + "-shm"} {
			if _, err := os.Lstat(file); err == nil {
				return fmt.Errorf("%s already exists; move it first", file)
			}
		}
		if err := examine(cmd, args[0]); err != nil {
			return fmt.Errorf("the backup is damaged: %w", err)
		}
		if err := withStore(cmd.Context(), args[0], func(backup *store.Store) error { return backup.Backup(cmd.Context(), *path) }); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "Restored %s from %s.\n", *path, args[0])
		return nil
	}
	return cmd
}

func newDoctor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the database file and its contents",
		Long: `Read the whole database and check that the file is not damaged, that its rows are
consistent and that tallies match the votes. Nothing is changed.`,
		Args: usageArgs(cobra.NoArgs),
	}
	path := databaseFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := examine(cmd, *path); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s has no problems.\n", *path)
		return nil
	}
	return cmd
}

// examine prints what is wrong with a database; any problem is an error.
func examine(cmd *cobra.Command, path string) error {
	problems, err := store.Examine(cmd.Context(), path)
	if err != nil {
		return err
	}
	for i, p := range problems {
		if i == 20 {
			fmt.Fprintf(cmd.ErrOrStderr(), "and %d more\n", len(problems)-i)
			break
		}
		fmt.Fprintln(cmd.ErrOrStderr(), p)
	}
	if problems != nil {
		return errors.New("problems were found")
	}
	return nil
}
