module cdk8s-ipam/test/cluster/components/openshift-api

go 1.26.0

require github.com/openshift/api v0.0.0-20250710004639-926605d3338b
