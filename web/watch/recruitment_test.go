package watch_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"overton/web/webtest"
)

func TestAdminsSeeWhatDoesNotFitProlific(t *testing.T) {
	t.Parallel()
	ts := webtest.New(t, webtest.StudyFolder(webtest.NoChecks))
	b, p := ts.Begin(1)
	b.Walk(p, "end")
	ts.Begin(2)
	gone, _ := ts.Begin(3)
	gone.Send(gone.Get("/s/small/withdraw"), nil)
	admin := ts.SignedIn("admin")
	const path = "/admin/studies/small/recruitment"
	if says := admin.Get(path).Says(); !strings.Contains(says, "Completenot in a file1") {
		t.Errorf("before a file: %s", says)
	}
	file := map[string][]byte{"prolific_export_1.csv": webtest.ProlificExport("TIMED-OUT", "AWAITING REVIEW", "AWAITING REVIEW", "APPROVED", "RETURNED")}
	got := admin.UploadTo(path, file)
	says := got.Says()
	for _, want := range []string{
		"2 of 5 submissions in the file started here.",
		"Finished here, but ran out of time on Prolific",
		"Came back with the completion code, but did not finish here",
		"AWAITING REVIEWWithdrew here, so nothing is kept.",
		"APPROVEDDid not start here.",
		"CompleteTIMED-OUT1", "Not finishedAWAITING REVIEW1",
	} {
		if !strings.Contains(says, want) {
			t.Errorf("%q is not on the page:\n%s", want, says)
		}
	}
	if strings.Contains(says, fmt.Sprintf("%024x", 1005)) {
		t.Error("the page lists somebody who came, looked and left on Prolific")
	}
	if log := ts.Log.String(); strings.Contains(log, fmt.Sprintf("%024x", 1)) {
		t.Error("the log has a Prolific id")
	}
	for name, bad := range map[string][]byte{"a broken file": []byte("Submission id,Status\nx,ACTIVE\n"), "an empty file": {}} {
		got := admin.UploadTo(path, map[string][]byte{"e.csv": bad})
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Says(), "Nothing was kept") {
			t.Errorf("%s: status %d: %s", name, got.Status, got.Says())
		}
	}
	if got := ts.SignedIn("researcher").Get(path); got.Status != http.StatusForbidden {
		t.Errorf("a researcher sees Prolific's ids: status %d", got.Status)
	}
}
