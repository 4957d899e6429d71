module example.com/ipam-bench/netip

go 1.22
