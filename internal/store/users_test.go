package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"overton/internal/study"
)

func (b *bench) account(email, role string) int64 {
	b.t.Helper()
	id, err := b.CreateAccount(context.Background(), Account{Email: email, Password: "hash", Role: role}, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

func (b *bench) signIn(id int64) string {
	b.t.Helper()
	tok, err := b.SignIn(context.Background(), id, time.Hour)
	if err != nil {
		b.t.Fatal(err)
	}
	return tok
}

func TestASignInLastsAsLongAsItMay(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	ctx := t.Context()
	tok := b.signIn(b.account("a@example.org", "viewer"))
	if a, err := b.SignedIn(ctx, tok); err != nil || a.Email != "a@example.org" || a.Role != "viewer" {
		t.Fatalf("%+v, %v", a, err)
	}
	b.pass(time.Hour)
	if _, err := b.SignedIn(ctx, tok); !errors.Is(err, ErrNotFound) {
		t.Errorf("an expired sign-in: %v", err)
	}
	tok = b.signIn(1)
	if err := b.SignOut(ctx, tok); err != nil {
		t.Fatal(err)
	}
	if _, err := b.SignedIn(ctx, tok); !errors.Is(err, ErrNotFound) {
		t.Errorf("after signing out: %v", err)
	}
	if _, err := b.CreateAccount(ctx, Account{Email: "A@Example.org", Role: "admin"}, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("the same address in capitals: %v", err)
	}
}

func TestALinkWorksOnceUnlessReusable(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	ctx := t.Context()
	id := b.account("a@example.org", "viewer")
	for _, reusable := range []bool{false, true} {
		link, err := b.NewLink(ctx, id, time.Hour, reusable)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := b.UseLink(ctx, link); err != nil || a.ID != id {
			t.Errorf("%+v, %v", a, err)
		}
		if _, err := b.UseLink(ctx, link); reusable != (err == nil) {
			t.Errorf("reusable %v, a second time: %v", reusable, err)
		}
	}
	link, err := b.NewLink(ctx, id, time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	b.pass(time.Hour)
	if _, err := b.UseLink(ctx, link); !errors.Is(err, ErrNotFound) {
		t.Errorf("an expired link: %v", err)
	}
}

func TestResettingAnAccountShutsOutWhoeverHoldsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	ctx := t.Context()
	id := b.account("a@example.org", "viewer")
	tok := b.signIn(id)
	old, err := b.NewLink(ctx, id, time.Hour, true)
	if err != nil {
		t.Fatal(err)
	}
	link, err := b.ResetAccount(ctx, id, time.Hour, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.SignedIn(ctx, tok); !errors.Is(err, ErrNotFound) {
		t.Errorf("the old sign-in: %v", err)
	}
	if _, err := b.UseLink(ctx, old); !errors.Is(err, ErrNotFound) {
		t.Errorf("the old link: %v", err)
	}
	if a, err := b.UseLink(ctx, link); err != nil || a.Password != "" {
		t.Errorf("the new link: %+v, %v", a, err)
	}
	if _, err := b.ResetAccount(ctx, id+1, time.Hour, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("an account that is not there: %v", err)
	}
}

func TestADisabledAccountIsShutOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(1, 1, 1))
	ctx := t.Context()
	chief, other := b.account("a@example.org", "admin"), b.account("b@example.org", "admin")
	tok := b.signIn(other)
	if err := b.DisableAccount(ctx, other, true, Actor(chief)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.SignedIn(ctx, tok); !errors.Is(err, ErrNotFound) {
		t.Errorf("its sign-in: %v", err)
	}
	link, err := b.NewLink(ctx, other, time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.UseLink(ctx, link); !errors.Is(err, ErrNotFound) {
		t.Errorf("a link: %v", err)
	}
	if err := b.DisableAccount(ctx, chief, true, Actor(chief)); !errors.Is(err, ErrConflict) {
		t.Errorf("shutting out the last admin: %v", err)
	}
	if err := b.DisableAccount(ctx, other, false, Actor(chief)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.UseLink(ctx, link); err != nil {
		t.Errorf("a link once it is enabled again: %v", err)
	}
	if err := b.DisableAccount(ctx, b.account("c@example.org", "viewer"), true, 0); err != nil {
		t.Errorf("shutting out a viewer: %v", err)
	}
	all, err := b.Accounts(ctx)
	if err != nil || len(all) != 3 || all[0].Email != "a@example.org" || all[0].Disabled || all[1].Disabled {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestTotalsTellPeopleFromVirtualParticipants(t *testing.T) {
	t.Parallel()
	b := newBench(t, testStudy(2, 1, 5))
	b.walk(b.start("p1"), study.StepEnd, nil)
	b.walk(b.start("virtual-1"), study.StepEnd, nil)
	b.start("p2")
	b.pass(31 * time.Minute)
	b.start("p3")
	b.start("virtual-2")
	got, err := b.Totals(t.Context())
	if want := (Total{Complete: 1, InProgress: 1, Virtual: 2}); err != nil || got[b.row.ID] != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestWhatWaitsForModerationIsCountedAsItIsListed(t *testing.T) {
	t.Parallel()
	for _, mode := range []study.Moderation{study.ModerationBefore, study.ModerationAfter} {
		st := testStudy(1, 1, 5)
		st.Overton().Moderation = mode
		b := newBench(t, st)
		ctx := t.Context()
		for _, person := range []string{"p1", "p2", "p3"} {
			b.walk(b.start(person), study.StepRating, nil)
		}
		all, err := b.Statements(ctx, b.row.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Moderate(ctx, b.row.ID, []string{all[len(all)-1].ID}, Decision{}, 0); err != nil {
			t.Fatal(err)
		}
		got, err := b.Waiting(ctx, b.row.ID)
		if err != nil {
			t.Fatal(err)
		}
		for list, n := range map[ModerationList]int{ListPending: got.Pending, ListUnseen: got.Unseen, ListAccepted: got.Accepted, ListRejected: got.Rejected} {
			listed, total, err := b.Moderation(ctx, b.row.ID, ModerationQuery{List: list, Limit: 10})
			if err != nil || len(listed) != n || total != n {
				t.Errorf("moderation %s: %d statements %s are listed of %d, %d counted, %v", mode, len(listed), list, total, n, err)
			}
		}
		if got.Rejected != 1 || got.Pending+got.Unseen != 2 {
			t.Errorf("moderation %s: %+v", mode, got)
		}
	}
}

func TestAccessTokensEndWithThePassword(t *testing.T) {
	t.Parallel()
	s := newBench(t, testStudy(1, 1, 1))
	id, err := s.CreateAccount(t.Context(), Account{Email: "a@example.org", Role: "admin"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.NewAccessToken(t.Context(), id, "backup", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ByAccessToken(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if err := s.SetPassword(t.Context(), id, "hash"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ByAccessToken(t.Context(), token); !errors.Is(err, ErrNotFound) {
		t.Errorf("the token outlives the password: %v", err)
	}
}
