package site

import (
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics tells. Labels name the route's pattern, never a
// path: those hold tokens, and there is no end to them.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "overton_request_seconds",
			Help:    "Time to answer a request, by method, route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
	}
	process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	m.registry.MustRegister(m.requests, collectors.NewGoCollector(), process)
	return m
}

func (m *metrics) observe(c echo.Context, took time.Duration) {
	m.requests.WithLabelValues(methodOf(c.Request()), c.Path(), strconv.Itoa(c.Response().Status)).Observe(took.Seconds())
}

// methodOf is a request's method, or "other" for one that no route has: a
// client may write a method of any length, and there is no end to them.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return r.Method
	}
	return "other"
}

// metricsPage serves the metrics to this machine only: they say how a study
// runs. A request that a proxy passed on comes from elsewhere.
func (s *Site) metricsPage(c echo.Context) error {
	host, _, err := net.SplitHostPort(c.Request().RemoteAddr)
	ip := net.ParseIP(host)
	if err != nil || ip == nil || !ip.IsLoopback() || c.Request().Header.Get("X-Forwarded-For") != "" {
		return &Refusal{Status: http.StatusForbidden, Name: "forbidden"}
	}
	promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(c.Response(), c.Request())
	return nil
}
