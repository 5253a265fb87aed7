package main

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overton/internal/password"
	"overton/internal/store/storetest"
)

func TestAccountsAreMadeOnTheCommandLine(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "o.db")
	for _, step := range []struct {
		args []string
		code int
		want string // a pattern of standard output, or of standard error after a failure
	}{
		{[]string{"link", "anna@example.org", "--db", db}, 1, `there is no database`},
		{[]string{"create", "anna@example.org", "--db", db}, 0, `Made an account for anna@example\.org \(admin\)(?s).*link  /admin/link/[A-Z2-7]{26}\n`},
		{[]string{"create", "Anna@example.org", "--db", db}, 1, `there is already an account for this address`},
		{[]string{"create", "ben@example.org", "--role", "viewer", "--db", db}, 0, `\(viewer\)`},
		{[]string{"create", "carla@example.org", "--role", "boss", "--db", db}, 2, `expected one of admin, researcher`},
		{[]string{"create", "Carla <carla@example.org>", "--db", db}, 1, `is not an email address`},
		{[]string{"link", "anna@example.org", "--db", db}, 0, `link  /admin/link/[A-Z2-7]{26}\n`},
		{[]string{"link", "nobody@example.org", "--db", db}, 1, `no account has the email address "nobody@example.org"`},
		{[]string{"create"}, 2, `accepts 1 arg`},
	} {
		code, out, errs := overtonCmd(append([]string{"admin"}, step.args...)...)
		told := out
		if step.code != 0 {
			told = errs
		}
		if code != step.code || !regexp.MustCompile(step.want).MatchString(told) {
			t.Errorf("admin %v: status %d\n%s%s\nwant %d, %s", step.args, code, out, errs, step.code, step.want)
		}
	}
}

func TestAPasswordComesFromStandardInput(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "o.db")
	create := func(email, input string) error {
		root := newRoot()
		root.SetArgs([]string{"admin", "create", email, "--password-stdin", "--db", path})
		root.SetIn(strings.NewReader(input))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		return root.ExecuteContext(t.Context())
	}
	if err := create("a@example.org", "too short\n"); err == nil || !strings.Contains(err.Error(), "shorter than 12") {
		t.Errorf("a short password: %v", err)
	}
	if err := create("b@example.org", "long enough, I think\r\nmore"); err != nil {
		t.Fatal(err)
	}
	db := storetest.Reopen(t, path)
	a, err := db.AccountByEmail(t.Context(), "b@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := password.Check(t.Context(), a.Password, "long enough, I think"); !ok || err != nil {
		t.Errorf("the password does not open the account: %v, %v", ok, err)
	}
}
