package templates

import (
	"fmt"
	"strconv"
	"time"

	"overton/internal/dataset/studyfile"
	"overton/internal/store"
)

// StudyFacts sums a study up for those who run it. setHash gives the hash of
// its question set; it is called only if there is one.
func StudyFacts(row store.Study, st *studyfile.Study, setHash func() string) []Fact {
	facts := []Fact{{Name: "Hash of the files", Value: row.Hash, Code: true}}
	fact := func(name, format string, args ...any) {
		facts = append(facts, Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	for _, moment := range []struct {
		name string
		at   int64
	}{{"Created", row.CreatedAt}, {"Launched", row.LaunchedAt}, {"Closed", row.ClosedAt}} {
		if moment.at != 0 {
			fact(moment.name, "%s", At(time.UnixMilli(moment.at)).Text)
		}
	}
	fact("Language", "%s", st.Language)
	if st.Contact != "" {
		fact("Contact", "%s", st.Contact)
	}
	fact("Time", "about %d minutes; a place is kept for %d minutes after an answer",
		st.Recruitment.Minutes, st.Recruitment.ReservationMinutes)
	fact("Pages", "at most %d for each person", st.Pages())
	if o := st.Overton(); o != nil {
		responses := "all"
		if o.ResponsesPerQuestion > 0 {
			responses = strconv.Itoa(o.ResponsesPerQuestion)
		}
		fact("Questions", "%d in the set, %d for each person, %d people on each",
			len(st.Questions.Questions), o.QuestionsPerParticipant, o.ParticipantsPerQuestion)
		fact("Places", "%d people fill every question", st.Places())
		fact("On each question", "%s responses to rate, %d votes", responses, o.VotesPerQuestion)
		fact("Moderation", "%s", o.Moderation)
		facts = append(facts, Fact{Name: "Question set", Value: setHash(), Code: true})
	}
	for _, q := range st.Quotas {
		fact("Quota", "on %s, %d cells", q.Variable, len(q.Targets))
	}
	return facts
}
