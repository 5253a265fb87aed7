package survey

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"overton/internal/dataset"
	"overton/internal/study"
)

// Columns of Prolific's demographic export that say how a submission stands.
// Every column that is neither here nor among prolificPassed is an attribute
// of the person, under its own name.
const (
	prolificSubmission  = "Submission id"
	prolificParticipant = "Participant id"
	prolificStatus      = "Status"
	prolificTaken       = "Time taken"
	prolificCode        = "Completion code"
)

// prolificPassed are columns about the submission that nothing here uses.
var prolificPassed = []string{
	"Custom study tncs accepted at", "Started at", "Completed at", "Reviewed at", "Archived at", "Total approvals",
}

// ReadProlific reads a file that Prolific exports of a study
// (prolific_export_….csv). Columns are found by their names; absent ones beyond
// the two ids and the status, and further ones, are fine. Values such as
// DATA_EXPIRED are kept as they are. It returns Faults.
func ReadProlific(file string, content []byte) ([]study.RecruitedRow, error) {
	t, err := dataset.ReadTable(file, content)
	if err != nil {
		return nil, err
	}
	at, err := t.ColumnsNamed(prolificSubmission, prolificParticipant, prolificStatus)
	if err != nil {
		return nil, err
	}
	taken, code := slices.Index(t.Columns, prolificTaken), slices.Index(t.Columns, prolificCode)
	var faults dataset.Faults
	var all []study.RecruitedRow
	first := map[string]int{}
	for i, row := range t.Rows {
		p := study.RecruitedRow{Submission: row[at[0]], Participant: row[at[1]],
			Recruited: study.Recruited{Status: row[at[2]], Attributes: map[string]string{}}}
		for _, c := range at[:2] {
			if strings.TrimSpace(row[c]) == "" {
				faults = append(faults, t.Fault(i, c, "is empty; expected an id"))
			}
		}
		if line, twice := first[p.Submission]; twice {
			faults = append(faults, t.Fault(i, at[0], fmt.Sprintf("stands a second time; line %d has it already", line)))
		} else {
			first[p.Submission] = t.Lines[i]
		}
		if code >= 0 {
			p.Code = row[code]
		}
		if taken >= 0 && row[taken] != "" {
			seconds, err := strconv.ParseFloat(row[taken], 64)
			if err != nil || !(0 <= seconds && seconds < 1e9) {
				faults = append(faults, t.Fault(i, taken, "is no time; expected seconds"))
			}
			p.Taken = time.Duration(seconds * float64(time.Second))
		}
		for c, name := range t.Columns {
			if !slices.Contains(at, c) && c != taken && c != code && !slices.Contains(prolificPassed, name) {
				p.Attributes[name] = row[c]
			}
		}
		all = append(all, p)
	}
	if len(all) == 0 && len(faults) == 0 {
		faults = append(faults, dataset.Fault{File: file, Message: "has a header and no submissions"})
	}
	if err := faults.OrNil(); err != nil {
		return nil, err
	}
	return all, nil
}
