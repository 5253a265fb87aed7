package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/password"
	"overton/internal/store"
)

// firstLinkLife is how long a link made on the command line stays valid.
const firstLinkLife = 7 * 24 * time.Hour

func newAdmin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "admin",
		Short: "Make accounts for the admin pages",
		Args:  subcommandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAdminCreate(), newAdminLink())
	return cmd
}

func newAdminCreate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create EMAIL",
		Short: "Make an account and a link to set its password",
		Long: `Make an account, and print the path of a link to set its password. The link
works once. With --password-stdin, the password is read from the first line of
standard input, and no link is made. The database is created if it does not exist.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	path := databaseFlag(cmd)
	role := cmd.Flags().String("role", "admin", "what the account may do: `ROLE` is admin, researcher, moderator or viewer")
	fromStdin := cmd.Flags().Bool("password-stdin", false, "read the password from standard input instead of making a link")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		ctx := cmd.Context()
		if roles := []string{"admin", "researcher", "moderator", "viewer"}; !slices.Contains(roles, *role) {
			return usagef("--role is %q; expected one of %s", *role, strings.Join(roles, ", "))
		}
		if at, err := mail.ParseAddress(args[0]); err != nil || at.Address != args[0] {
			return fmt.Errorf("%q is not an email address; expected one such as anna@example.org", args[0])
		}
		account := store.Account{Email: args[0], Role: *role}
		if *fromStdin {
			given, err := firstLine(cmd.InOrStdin())
			if err != nil {
				return err
			}
			if err := password.Acceptable(given); err != nil {
				return err
			}
			if account.Password, err = password.Hash(ctx, given); err != nil {
				return err
			}
		}
		db, err := store.Open(ctx, *path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		id, err := db.CreateAccount(ctx, account, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "Made an account for %s (%s).\n", account.Email, account.Role)
		if *fromStdin {
			return nil
		}
		link, err := db.NewLink(ctx, id, firstLinkLife, false)
		if err != nil {
			return err
		}
		printLink(cmd.OutOrStdout(), link)
		return nil
	}
	return cmd
}

func newAdminLink() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "link EMAIL",
		Short: "Make a new link for someone who lost their password",
		Long: `Make a link with which the owner of an account can set a new password. It works once.
The old password stops working and the account is signed out everywhere at once.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	path := databaseFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return withStore(cmd.Context(), *path, func(db *store.Store) error {
			account, err := db.AccountByEmail(cmd.Context(), args[0])
			if errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("no account has the email address %q", args[0])
			}
			if err != nil {
				return err
			}
			link, err := db.ResetAccount(cmd.Context(), account.ID, firstLinkLife, 0)
			if err != nil {
				return err
			}
			printLink(cmd.OutOrStdout(), link)
			return nil
		})
	}
	return cmd
}

func printLink(w io.Writer, link string) {
	fmt.Fprintf(w, "Open this path on the server within a week to set a password. It works once.\nlink  /admin/link/%s\n", link)
}

// firstLine reads a line without its line ending.
func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 64<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
