package web

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// prolificExport is what Prolific exports of participants 1, 2, … with these
// statuses; see arrival.
func prolificExport(statuses ...string) []byte {
	var b strings.Builder
	b.WriteString("Submission id,Participant id,Status,Time taken,Completion code,Age\n")
	for i, status := range statuses {
		fmt.Fprintf(&b, "%024x,%024x,%s,600,DONE1,DATA_EXPIRED\n", 1001+i, 1+i, status)
	}
	return []byte(b.String())
}

func prolificFile(t *testing.T, statuses ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prolific_export_1.csv")
	if err := os.WriteFile(path, prolificExport(statuses...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAdminsSeeWhatDoesNotFitProlific(t *testing.T) {
	ts := newSite(t, studyFolder(noChecks))
	b, p := ts.begin(1)
	b.walk(p, "end")
	ts.begin(2)
	gone, _ := ts.begin(3)
	gone.send(gone.get("/s/small/withdraw"), nil)
	admin := ts.browserOf("admin")
	const path = "/admin/studies/small/recruitment"
	if says := admin.get(path).says(); !strings.Contains(says, "Completenot in a file1") {
		t.Errorf("before a file: %s", says)
	}
	file := map[string][]byte{"prolific_export_1.csv": prolificExport("TIMED-OUT", "AWAITING REVIEW", "AWAITING REVIEW", "APPROVED", "RETURNED")}
	got := admin.uploadTo(path, file)
	says := got.says()
	for _, want := range []string{
		"2 of 5 submissions in the file began here.",
		"Finished here, and ran out of Prolific's time",
		"Came back with the completion code, and did not finish here",
		"AWAITING REVIEWWithdrew here, so nothing is kept.",
		"APPROVEDNever began here.",
		"CompleteTIMED-OUT1", "Not finishedAWAITING REVIEW1",
	} {
		if !strings.Contains(says, want) {
			t.Errorf("%q is not on the page:\n%s", want, says)
		}
	}
	if strings.Contains(says, fmt.Sprintf("%024x", 1005)) {
		t.Error("the page lists somebody who came, looked and left on Prolific")
	}
	if log := ts.log.String(); strings.Contains(log, fmt.Sprintf("%024x", 1)) {
		t.Error("the log has a Prolific id")
	}
	for name, bad := range map[string][]byte{"a broken file": []byte("Submission id,Status\nx,ACTIVE\n"), "an empty file": {}} {
		got := admin.uploadTo(path, map[string][]byte{"e.csv": bad})
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.says(), "Nothing was kept") {
			t.Errorf("%s: status %d: %s", name, got.status, got.says())
		}
	}
	if got := ts.browserOf("researcher").get(path); got.status != http.StatusForbidden {
		t.Errorf("a researcher sees Prolific's ids: status %d", got.status)
	}
}
