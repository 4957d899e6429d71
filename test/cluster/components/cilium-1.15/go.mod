module cdk8s-ipam/test/cluster/components/cilium-1.15

go 1.26.0

require github.com/cilium/cilium v1.15.19
