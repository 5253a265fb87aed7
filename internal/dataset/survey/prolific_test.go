package survey

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"overton/internal/study"
)

const prolificHeader = "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Completed at,Reviewed at,Archived at,Time taken,Completion code,Total approvals,U.s. political affiliation,Age,Language\n"

func TestProlificExportsAreReadByTheirHeader(t *testing.T) {
	got, err := ReadProlific("export.csv", []byte(prolificHeader+
		`s1,p1,AWAITING REVIEW,Not Applicable,2026-01-01T10:00:00.000001Z,2026-01-01T10:20:00Z,,,1200.5,DONE,17,Democrat,DATA_EXPIRED,"English, Spanish"`+"\n"+
		"s2,p2,RETURNED,,,,,,,,,,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []study.RecruitedRow{
		{Submission: "s1", Participant: "p1", Recruited: study.Recruited{Status: "AWAITING REVIEW", Code: "DONE", Taken: 1200500 * time.Millisecond,
			Attributes: map[string]string{"U.s. political affiliation": "Democrat", "Age": "DATA_EXPIRED", "Language": "English, Spanish"}}},
		{Submission: "s2", Participant: "p2", Recruited: study.Recruited{Status: "RETURNED", Attributes: map[string]string{"U.s. political affiliation": "", "Age": "", "Language": ""}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFaultsOfProlificExports(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"no status", "Submission id,Participant id\ns,p\n", `export.csv:1: Status is missing`},
		{"an old name", "Submission ID,Participant id,Status\ns,p,ACTIVE\n", `did you mean the column "Submission ID"`},
		{"an empty id", "Submission id,Participant id,Status\n,p,ACTIVE\n", `export.csv:2: Submission id is empty`},
		{"twice", "Submission id,Participant id,Status\ns,p,ACTIVE\ns,p,ACTIVE\n", `export.csv:3: Submission id "s" stands a second time; line 2`},
		{"a time in words", "Submission id,Participant id,Status,Time taken\ns,p,ACTIVE,long\n", `export.csv:2: Time taken "long" is no time`},
		{"no time at all", "Submission id,Participant id,Status,Time taken\ns,p,ACTIVE,NaN\n", `Time taken "NaN" is no time`},
		{"only a header", prolificHeader, `has a header and no submissions`},
		{"semicolons", "Submission id;Participant id;Status\ns;p;ACTIVE\n", `separated by semicolons`},
	} {
		if _, err := ReadProlific("export.csv", []byte(c.content)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func FuzzReadProlific(f *testing.F) {
	f.Add([]byte(prolificHeader + "s1,p1,ACTIVE,,,,,,1,c,1,,,\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		rows, err := ReadProlific("export.csv", content)
		if err != nil {
			return
		}
		for _, r := range rows {
			if r.Submission == "" || r.Participant == "" || r.Taken < 0 {
				t.Fatalf("accepted %+v", r)
			}
		}
	})
}
