package watch

import "overton/internal/study"

const LiveEvery = liveEvery

type Standing = standing

var StandingOf = (*Room).standing

func (st *standing) Traces() []*study.Trace { return st.traces }
