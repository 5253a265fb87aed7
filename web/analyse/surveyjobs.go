package analyse

import (
	"sync"
	"time"
)

// surveyJobs are the analyses of surveys that run outside of requests, one for
// each study at a time. The zero value is ready.
type surveyJobs struct {
	turn sync.Mutex // held by the one that computes

	mu   sync.Mutex
	jobs map[int64]*surveyJob // the latest of each study since the start of the program
}

// surveyJob is one analysis, running or ended. Its fields belong to
// surveyJobs.mu.
type surveyJob struct {
	since    time.Time
	computes bool // else it waits for its turn
	done, of int
	ended    bool
	failed   string
}

// of returns what is known of a study's latest job.
func (a *surveyJobs) of(studyID int64) (j surveyJob, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.jobs[studyID]; p != nil {
		return *p, true
	}
	return j, false
}

// begin returns a new job, or nil while one of the study is running.
func (a *surveyJobs) begin(studyID int64, now time.Time, steps int) *surveyJob {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.jobs[studyID]; p != nil && !p.ended {
		return nil
	}
	if a.jobs == nil {
		a.jobs = map[int64]*surveyJob{}
	}
	j := &surveyJob{since: now, of: steps}
	a.jobs[studyID] = j
	return j
}

// change changes a job.
func (a *surveyJobs) change(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
}
