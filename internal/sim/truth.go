package sim

import (
	"time"

	"overton/internal/study"
)

// Truth is what was planted and what was sent. As JSON it is the file that
// `overton simulate --truth` writes.
type Truth struct {
	Study    string       `json:"study"`
	Seed     uint64       `json:"seed"`
	Groups   []Group      `json:"groups"`
	Means    []Mean       `json:"means"`
	Surveys  *SurveyTruth `json:"surveys,omitempty"`
	Texts    []string     `json:"texts"` // as read on pages, with spaces folded; entries elsewhere are indices, 0: none
	People   []Person     `json:"people"`
	Summary  Summary      `json:"summary"`
	Began    time.Time    `json:"began"`
	Finished time.Time    `json:"finished"`
}

// Group is one planted viewpoint group; its number is its place in the list.
type Group struct {
	Share float64 `json:"share"` // of all people, as planned
	Size  int     `json:"size"`  // of those who came
}

// Mean is what each group thinks of a response: its mean rating, before noise.
type Mean struct {
	Question int       `json:"question"`
	Response int       `json:"response"`
	ByGroup  []float64 `json:"by_group"`
}

// Ending is how a participant's visit ended.
type Ending string

const (
	Finished   Ending = "finished"    // reached the end of the study
	DroppedOut Ending = "dropped out" // left on purpose, and did not return
	Declined   Ending = "declined"    // gave no consent, on purpose
	TurnedAway Ending = "turned away" // before the first question: no place was left
	Failed     Ending = "failed"      // wanted to finish but could not
)

// Person is one virtual participant.
type Person struct {
	Participant string   `json:"participant"`
	Submission  string   `json:"submission"`
	Group       int      `json:"group"`
	Place       float64  `json:"place,omitempty"` // on the line of the surveys' opinions
	Careless    bool     `json:"careless"`        // rates and votes without reading
	Ending      Ending   `json:"ending"`
	Why         string   `json:"why,omitempty"`  // of a failure
	Code        string   `json:"code,omitempty"` // shown at the end
	Pages       int      `json:"pages"`          // sent
	Answers     []Answer `json:"answers"`        // in the order first sent

	// Unsettled are answers that were sent but never acknowledged, because the run ended before the site
	// could be asked. It may have stored them or not.
	Unsettled []Answer `json:"unsettled,omitempty"`
}

// Answer is what a person sent for one field of a page, as last acknowledged. Question and Shown are the
// texts read on that page.
type Answer struct {
	Page     string     `json:"page"`
	Field    string     `json:"field"`
	Kind     study.Kind `json:"kind"`
	Question int        `json:"question,omitempty"`
	Shown    int        `json:"shown,omitempty"` // the response or statement that was judged
	Value    string     `json:"value"`
	Changed  int        `json:"changed,omitempty"` // how often the person went back and changed it
	At       time.Time  `json:"at"`                // when it was acknowledged
}

// Summary is how the run went.
type Summary struct {
	Finished    int     `json:"finished"`
	DroppedOut  int     `json:"dropped_out"`
	Declined    int     `json:"declined"`
	TurnedAway  int     `json:"turned_away"`
	Failed      int     `json:"failed"`
	Pages       int     `json:"pages"` // forms sent and acknowledged
	Requests    int     `json:"requests"`
	Retried     int     `json:"retried"` // requests that got no good answer
	NotNow      int     `json:"not_now"` // requests answered by "try again later"
	P50         float64 `json:"p50_ms"`  // of the time a request took
	P99         float64 `json:"p99_ms"`
	Slowest     float64 `json:"slowest_ms"`
	Seconds     float64 `json:"seconds"`
	PerSecond   float64 `json:"requests_per_second"`
	DoubleClick int     `json:"double_clicks"`
	Reloaded    int     `json:"reloads"`
	Changed     int     `json:"changed_answers"`
	Browsers    int     `json:"second_browsers"`
	Returned    int     `json:"returned"` // left and came back
	TooEarly    int     `json:"sent_without_an_answer"`
}

func (s *Summary) count(e Ending) {
	switch e {
	case Finished:
		s.Finished++
	case DroppedOut:
		s.DroppedOut++
	case Declined:
		s.Declined++
	case TurnedAway:
		s.TurnedAway++
	case Failed:
		s.Failed++
	}
}
