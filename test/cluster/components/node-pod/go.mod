module cdk8s-ipam/test/cluster/components/node-pod

go 1.26.0
