package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAChangeWritesItsOwnEntry goes through the changes whose entry once was a
// second transaction, or missing.
func TestAChangeWritesItsOwnEntry(t *testing.T) {
	b := newBench(t, testStudy(1, 1, 3))
	ctx := context.Background()
	admin, err := b.CreateAccount(ctx, Account{Email: "admin@example.org", Role: "admin"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	by := Actor(admin)
	var draft Study
	var first, second string
	var run int64
	for _, c := range []struct {
		do   func() error
		want string // entries, "what|detail|who", the oldest first
	}{
		{func() error {
			_, err := b.CreateAccount(ctx, Account{Email: "b@example.org", Role: "viewer"}, by)
			return err
		}, "account created|b@example.org, viewer|admin@example.org"},
		{func() (err error) {
			draft, err = b.SaveStudy(ctx, NewStudy{Slug: "d", Title: "D", Hash: "h1"}, by)
			return err
		}, "draft saved|h1|admin@example.org"},
		{func() error {
			_, err := b.ChangeDraft(ctx, draft.ID, "h1", NewStudy{Slug: "d", Title: "D", Hash: "h2"}, by)
			return err
		}, "draft changed|h2|admin@example.org"},
		{func() error {
			_, err := b.ChangeDraft(ctx, draft.ID, "h2", NewStudy{Slug: "d", Title: "D", Hash: "h2"}, by)
			return err
		}, ""},
		{func() (err error) {
			run, err = b.QueueRun(ctx, b.row.ID, NewRun{Kind: "survey", Parameters: []byte("{}")}, by)
			return err
		}, "survey analysis started|run 1|admin@example.org"},
		{func() error { return b.CancelRun(ctx, b.row.ID, run, by) }, "analysis cancelled|run 1|admin@example.org"},
		{func() (err error) {
			run, err = b.QueueRun(ctx, b.row.ID, NewRun{Kind: "judge", Name: "p.csv", Parameters: []byte("{}")}, by)
			return err
		}, "judge compared|run 2, p.csv|admin@example.org"},
		{func() (err error) { first, err = b.SignIn(ctx, admin, time.Hour); return err }, "signed in||admin@example.org"},
		{func() (err error) { second, err = b.SignIn(ctx, admin, time.Hour); return err }, "signed in||admin@example.org"},
		{func() error { return b.EndOtherSignIns(ctx, admin, first) }, "sign-ins ended||admin@example.org"},
		{func() error { return b.SignOut(ctx, second) }, ""},
		{func() error { return b.SignOut(ctx, first) }, "signed out||admin@example.org"},
		{func() error { return b.SetPassword(ctx, admin, "hash") }, "password set||admin@example.org"},
		{func() error { return b.Note(ctx, by, 0, SignInFailed, "") }, "sign-in failed||admin@example.org"},
		{func() error { return b.Note(ctx, 0, 0, SignInFailed, "") }, "sign-in failed||unknown address"},
		{func() error { return b.Note(ctx, 0, 0, DataDownloaded, "x.zip") }, "data downloaded|x.zip|command line"},
	} {
		before, err := b.Events(ctx, EventFilter{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.want, err)
		}
		after, err := b.Events(ctx, EventFilter{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		var fresh []string
		for _, e := range slices.Backward(after) {
			if e.ID > before[0].ID {
				fresh = append(fresh, fmt.Sprintf("%s|%s|%s", e.What, e.Detail, e.Email))
			}
		}
		if got := strings.Join(fresh, "; "); got != c.want {
			t.Errorf("entries %q, want %q", got, c.want)
		}
	}
	emails, _, err := b.EventChoices(ctx, "")
	if err != nil || !slices.Contains(emails, UnknownAddress) {
		t.Errorf("who to choose from: %q, %v", emails, err)
	}
	if of, err := b.Events(ctx, EventFilter{Email: UnknownAddress}, 10); err != nil || len(of) != 1 {
		t.Errorf("entries of unknown addresses: %+v, %v", of, err)
	}
	// A change that is refused leaves no entry.
	count := func() int { all, _ := b.Events(ctx, EventFilter{}, 1000); return len(all) }
	before := count()
	if _, err := b.CreateAccount(ctx, Account{Email: "B@example.org", Role: "viewer"}, by); !errors.Is(err, ErrConflict) {
		t.Errorf("a second account of an address: %v", err)
	}
	if _, err := b.SaveStudy(ctx, NewStudy{Slug: "test", Title: "T", Hash: "other"}, by); !errors.Is(err, ErrConflict) {
		t.Errorf("a launched study was replaced: %v", err)
	}
	if n := count(); n != before {
		t.Errorf("%d entries for what was refused", n-before)
	}
}

func TestKindsOfEntryDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Deeds() {
		if seen[d.String()] || d.String() == "" {
			t.Errorf("two kinds of entry are called %q", d)
		}
		seen[d.String()] = true
	}
}
