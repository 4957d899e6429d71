"""Client of the gRPC API of networks in Python, with the files that grpc_tools makes of alloc.proto.

Arguments: address, file of the CA, name in the certificate, namespace. The token comes by standard input. Prints one JSON line for each call.
"""

import json
import sys

import alloc_pb2
import alloc_pb2_grpc
import grpc

address, ca_file, server_name, namespace = sys.argv[1:5]
token = sys.stdin.read().strip()
with open(ca_file, "rb") as ca:
    tls = grpc.ssl_channel_credentials(ca.read())
credentials = grpc.composite_channel_credentials(tls, grpc.access_token_call_credentials(token))
channel = grpc.secure_channel(address, credentials, [("grpc.ssl_target_name_override", server_name)])
stub = alloc_pb2_grpc.AllocationStub(channel)


def request(name, network="net1", kind="network"):
    selector = {"nephio.org/network-instance": "vpc-1", "nephio.org/network-name": network}
    spec = alloc_pb2.Spec(prefixkind=kind, selector=selector)
    return alloc_pb2.Request(namespace=namespace, name=name, spec=spec)


def call(method, message):
    try:
        answer = method(message, timeout=60)
        print(json.dumps({"prefix": answer.allocatedPrefix, "gateway": answer.gateway}), flush=True)
    except grpc.RpcError as error:
        code = dict(error.trailing_metadata() or ()).get("ipam-refusal-code", "")
        print(json.dumps({"status": error.code().name, "refusal": code}), flush=True)


call(stub.Allocation, request("py1"))
call(stub.Allocation, request("py1"))
call(stub.Allocation, request("py2"))
call(stub.Allocation, request("py3", kind=""))
call(stub.Allocation, request("py3", network="net9"))
call(stub.Get, alloc_pb2.GetRequest(namespace=namespace, name="py2"))
listed = stub.List(alloc_pb2.ListRequest(namespace=namespace), timeout=60)
print(json.dumps({"names": [claim.name for claim in listed.claims]}), flush=True)
for message in stub.Watch(alloc_pb2.WatchRequest(namespace=namespace, name="py1"), timeout=60):
    synced = message.synced
    print(json.dumps({"name": message.claim.name, "synced": synced}), flush=True)
    if synced:
        break
call(stub.DeAllocation, request("py1"))
call(stub.DeAllocation, request("py2"))
call(stub.Get, alloc_pb2.GetRequest(namespace=namespace, name="py2"))
