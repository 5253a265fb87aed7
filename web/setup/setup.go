package setup

import (
	"fmt"

	"overton/internal/study"
	"overton/web/site"
)

func blockDetail(h *site.Hosted, b study.Block) string {
	switch {
	case b.Survey != nil:
		in := h.Instruments[b.Survey.Instrument]
		return fmt.Sprintf("%s · %d items, at most %d a person on %d pages", b.Survey.Instrument, len(in.Items), b.Survey.MostItems(), b.Survey.MostPages())
	case b.Overton != nil:
		o := b.Overton
		responses := "all responses"
		if o.ResponsesPerQuestion > 0 {
			responses = fmt.Sprintf("%d responses", o.ResponsesPerQuestion)
		}
		return fmt.Sprintf("%d questions a person; %s and %d votes on each · moderation %s", o.QuestionsPerParticipant, responses, o.VotesPerQuestion, o.Moderation)
	}
	return ""
}
