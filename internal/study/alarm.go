package study

import (
	"math"
	"time"
)

// AlarmKind is something about a running study that needs a person's attention now.
type AlarmKind string

const (
	AlarmFilled    AlarmKind = "filled"     // every place is filled, but people are still let in
	AlarmNoPlaces  AlarmKind = "no_places"  // all places are taken for now; new arrivals must wait
	AlarmCellsFull AlarmKind = "cells_full" // people arrive who are over quota
	AlarmQueue     AlarmKind = "queue"      // statements wait for moderation while people are there
	AlarmTimedOut  AlarmKind = "timed_out"  // many people drop out
	AlarmNoConsent AlarmKind = "no_consent"
	AlarmChecks    AlarmKind = "checks"
	AlarmNoCode    AlarmKind = "no_code" // people end with an outcome that has no completion code
	AlarmSlow      AlarmKind = "slow"    // the study takes longer than people were told
	AlarmPay       AlarmKind = "pay"     // pay is below the recruiter's minimum
	AlarmQuiet     AlarmKind = "quiet"   // nobody arrives
)

// Alarm is one alarm, with its numbers.
type Alarm struct {
	Kind     AlarmKind
	N, Of    int           // people or statements
	Outcome  Outcome       // of AlarmNoCode
	Time     time.Duration // waited, or taken
	Pay      float64       // per hour
	Least    float64       // what it should be
	Currency string
}

// Watch is what alarms are decided from.
type Watch struct {
	Summary
	Places        int // people who fill every question; 0: not limited
	Pending       int // statements waiting for moderation
	OldestPending time.Time
	Before        bool // statements are shown only after moderation
	Reward        float64
	Currency      string
	Launched      time.Time
	Now           time.Time
}

// Thresholds for alarms. A few cases may be chance, so every share also needs a minimum number of people.
const (
	manyLost      = .20 // of those who finished or left within a day; the pilot lost 16 %
	manyRefused   = .20
	manyFailed    = .15
	manyOver      = .25
	fewestAlarmed = 5
	longQueue     = 15 * time.Minute
	longQuiet     = 6 * time.Hour
	slowBy        = 1.3 // multiple of the minutes that people were told
	fewestTimed   = 10
)

// leastPay is the minimum hourly pay that Prolific required of studies in 2026, by currency. It recommends 50
// % more.
var leastPay = map[string]float64{"GBP": 6, "USD": 8}

// LeastPay is the recruiter's minimum hourly pay; 0 if not known.
func LeastPay(currency string) float64 { return leastPay[currency] }

// HourlyPay is what a reward amounts to per hour at the median time; 0 if either is not known.
func HourlyPay(reward float64, median time.Duration) float64 {
	if reward <= 0 || median <= 0 {
		return 0
	}
	return reward / median.Hours()
}

// Alarms lists what needs attention, most urgent first. It is for a study that people can enter.
func (s *Study) Alarms(w Watch) []Alarm {
	var alarms []Alarm
	raise := func(a Alarm, is bool) {
		if is {
			alarms = append(alarms, a)
		}
	}
	complete := w.Outcomes[Completed]
	filled, taken := 0, 0
	if o := s.Overton(); o != nil {
		for _, q := range w.Questions {
			if q.Done >= o.ParticipantsPerQuestion {
				filled++
			}
			if q.Done+q.Live >= o.ParticipantsPerQuestion {
				taken++
			}
		}
		unfilled := len(w.Questions) - filled
		nobody := unfilled == 0
		raise(Alarm{Kind: AlarmFilled, N: complete, Of: w.Places}, nobody)
		raise(Alarm{Kind: AlarmNoPlaces, N: w.InProgress, Of: w.Places}, !nobody && len(w.Questions)-taken < min(o.QuestionsPerParticipant, unfilled))
	}
	for _, o := range []Outcome{Completed, NoConsent, ScreenedOut, FailedChecks, OverQuota, TimedOut} {
		raise(Alarm{Kind: AlarmNoCode, N: w.Outcomes[o], Outcome: o}, w.Outcomes[o] > 0 && s.Recruitment.Code(o) == "")
	}
	waits := w.Now.Sub(w.OldestPending)
	raise(Alarm{Kind: AlarmQueue, N: w.Pending, Of: w.InProgress, Time: waits}, w.Before && w.Pending > 0 &&
		w.InProgress > 0 && waits >= longQueue)

	ended := w.Lately.Left
	for _, n := range w.Lately.Outcomes {
		ended += n
	}
	many := func(n int, share float64) bool { return n >= fewestAlarmed && float64(n) >= share*float64(ended) }
	over := w.Lately.Outcomes[OverQuota]
	raise(Alarm{Kind: AlarmCellsFull, N: over, Of: ended}, many(over, manyOver))
	lost := w.Lately.Left + w.Lately.Outcomes[TimedOut] + w.Lately.Outcomes[Returned]
	raise(Alarm{Kind: AlarmTimedOut, N: lost, Of: ended}, many(lost, manyLost))
	refused := w.Lately.Outcomes[NoConsent]
	raise(Alarm{Kind: AlarmNoConsent, N: refused, Of: ended}, many(refused, manyRefused))
	failed := w.Lately.Outcomes[FailedChecks]
	raise(Alarm{Kind: AlarmChecks, N: failed, Of: ended}, many(failed, manyFailed))

	if w.Total.N >= fewestTimed {
		told := time.Duration(s.Recruitment.Minutes) * time.Minute
		raise(Alarm{Kind: AlarmSlow, N: w.Total.N, Time: w.Total.Median}, float64(w.Total.Median) > slowBy*float64(told))
		pay, least := HourlyPay(w.Reward, w.Total.Median), leastPay[w.Currency]
		raise(Alarm{Kind: AlarmPay, N: w.Total.N, Pay: pay, Least: least, Currency: w.Currency, Time: w.Total.Median},
			pay > 0 && math.Round(pay*100) < least*100)
	}
	last := w.Lately.Newest
	if last.Before(w.Launched) {
		last = w.Launched
	}
	raise(Alarm{Kind: AlarmQuiet, Time: w.Now.Sub(last)}, w.Now.Sub(last) >= longQuiet && complete < max(1, w.Places) && w.InProgress == 0)
	return alarms
}
