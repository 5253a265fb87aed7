package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"overton/internal/dataset/votes"
	"overton/internal/store"
)

// newImport groups the commands that bring in what was collected elsewhere.
func newImport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Bring in what was collected elsewhere",
		Args:  subcommandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newImportPolis(), newImportProlific())
	return cmd
}

// notInSlugs is what a folder's name may hold and a slug may not.
var notInSlugs = regexp.MustCompile(`[^a-z0-9]+`)

func newImportPolis() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "polis DIR",
		Short: "Make a study of a Polis export folder",
		Long: `Make a study of a Polis export folder (participants-votes.csv or votes.csv,
comments.csv, summary.csv). The study is closed and has one question; it can be
analysed and exported like any other. The database is made where there is none.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	path := databaseFlag(cmd)
	slug := cmd.Flags().String("slug", "", "the new study's slug; without it, made from the folder's name")
	agree := cmd.Flags().String("agree", "auto", "the number that means agree: +1, -1, or auto to find out")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		sign, err := strconv.Atoi(*agree)
		if *agree != "auto" && (err != nil || sign != 1 && sign != -1) {
			return usagef("--agree %q: expected +1, -1 or auto", *agree)
		}
		if *slug == "" {
			name := notInSlugs.ReplaceAllString(strings.ToLower(filepath.Base(filepath.Clean(args[0]))), "-")
			*slug = strings.Trim(name[:min(len(name), 63)], "-")
		}
		p, err := votes.ReadPolisStudy(os.DirFS(args[0]), sign, *slug)
		if err != nil {
			return err
		}
		db, err := store.Open(cmd.Context(), *path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		st, err := db.Import(cmd.Context(), store.NewStudy{Slug: p.Slug, Title: p.Title, Hash: p.Hash, Files: p.Files}, p.Records, p.Statements, 0)
		if err != nil {
			return err
		}
		participants, statements := p.Votes.Matrix.Dims()
		fmt.Fprintf(cmd.OutOrStdout(), "Imported %q as %s: %d participants, %d statements, %d votes.\n",
			st.Title, st.Slug, participants, statements, p.Votes.Matrix.Votes())
		for _, note := range p.Votes.Notes {
			fmt.Fprintf(cmd.OutOrStdout(), "note: %s\n", note)
		}
		return nil
	}
	return cmd
}
