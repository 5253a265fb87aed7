package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"time"

	"overton/internal/dataset/studyfile"
	"overton/internal/sim"
	"overton/internal/sim/demo"
	"overton/internal/store"
	"overton/internal/window"
)

const (
	demoPeople = 56                 // virtual participants who fill the demo; some places stay free for visitors
	demoLife   = 7 * 24 * time.Hour // of the sign-in links
)

// showDemo makes the demo study, has virtual participants walk it, analyses
// it, and prints links for each kind of visitor.
func showDemo(ctx context.Context, db *store.Store, address string, out io.Writer) error {
	began := time.Now()
	st, err := studyfile.Read(demo.Files())
	if err != nil {
		return fmt.Errorf("reading the demo study: %w", err)
	}
	row, err := db.SaveStudy(ctx, store.NewStudy{Slug: st.Slug, Title: st.Title, Hash: st.Hash, Files: st.Files})
	if err != nil {
		return err
	}
	if err := db.Launch(ctx, st.Slug, st.Questions.Seeds, 0); err != nil {
		return err
	}
	fmt.Fprintf(out, "Filling the demo study with %d virtual participants …\n", demoPeople)
	beliefs, err := sim.ReadBeliefs(demo.Files())
	if err != nil {
		return fmt.Errorf("reading the demo's opinions: %w", err)
	}
	if _, err := sim.Run(ctx, sim.Options{
		URL: address, Study: st.Slug, Participants: demoPeople, Seed: 1, Groups: 3, Concurrency: 8, DropOut: 0.08, Decline: 0.02, Noise: 0.1,
		Parameters: st.Recruitment.Parameters, Beliefs: beliefs, ServerWait: 10 * time.Second, PlaceWait: 10 * time.Second,
	}); err != nil {
		return fmt.Errorf("filling the demo study: %w", err)
	}
	fmt.Fprintln(out, "Finding viewpoint groups and scoring the models …")
	o := window.DefaultOptions()
	o.Regroupings = 20 // enough to show the interval, and soon there
	data, err := window.Collect(ctx, db, row, st, o.People, nil)
	if err != nil {
		return err
	}
	result, err := window.Analyse(ctx, st, data, o, nil)
	if err != nil {
		return err
	}
	if err := window.Record(ctx, db, row, result); err != nil {
		return err
	}
	researcher, err := demoLink(ctx, db, "researcher@demo.invalid", "researcher")
	if err != nil {
		return err
	}
	admin, err := demoLink(ctx, db, "admin@demo.invalid", "admin")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `
The demo is ready after %.0f s. Open one of these links:

  participant  %s/s/%s?%s
  researcher   %s/admin/link/%s?to=/admin/studies/%s/analysis
  admin        %s/admin/link/%s?to=/admin

Everybody who answered so far is virtual, and you will be too: that is how you
get to vote on what they wrote. The database is thrown away at the end. Stop
the server with Ctrl-C.
`, time.Since(began).Seconds(), address, st.Slug, visitor(st.Recruitment.Parameters.Participant, st.Recruitment.Parameters.Study, st.Recruitment.Parameters.Submission), address, researcher, st.Slug, address, admin)
	return nil
}

// visitor makes the query of a participant's link with fresh ids.
func visitor(participant, study, submission string) string {
	return url.Values{participant: {"virtual-visitor-" + randomHex()}, study: {randomHex()}, submission: {randomHex()}}.Encode()
}

// randomHex looks like an id from Prolific.
func randomHex() string {
	b := make([]byte, 12)
	rand.Read(b)
	return hex.EncodeToString(b)
}

func demoLink(ctx context.Context, db *store.Store, email, role string) (string, error) {
	id, err := db.CreateAccount(ctx, store.Account{Email: email, Role: role})
	if err != nil {
		return "", err
	}
	return db.NewLink(ctx, id, demoLife, true)
}
