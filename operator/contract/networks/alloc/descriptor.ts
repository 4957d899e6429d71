// Generated from the .proto files beside it by `npm run generate`; edit those.

/** Messages and services as protobufjs reads them. */
export const DESCRIPTOR: object = {
  nested: {
    alloc: {
      nested: {
        Allocation: {
          methods: {
            Allocation: { requestType: 'Request', responseType: 'Response' },
            DeAllocation: { requestType: 'Request', responseType: 'Response' },
            Get: { requestType: 'GetRequest', responseType: 'Claim' },
            List: { requestType: 'ListRequest', responseType: 'ListResponse' },
            Watch: { requestType: 'WatchRequest', responseType: 'WatchResponse', responseStream: true },
          },
        },
        Request: {
          fields: {
            namespace: { type: 'string', id: 1 },
            name: { type: 'string', id: 2 },
            kind: { type: 'string', id: 3 },
            labels: { keyType: 'string', type: 'string', id: 6 },
            spec: { type: 'Spec', id: 7 },
          },
        },
        Spec: {
          fields: {
            prefixkind: { type: 'string', id: 1 },
            prefix: { type: 'string', id: 2 },
            prefixLength: { type: 'uint32', id: 3 },
            network: { type: 'string', id: 4 },
            addressFamily: { type: 'string', id: 5 },
            selector: { keyType: 'string', type: 'string', id: 6 },
            matchExpressions: { rule: 'repeated', type: 'LabelExpression', id: 16 },
          },
        },
        LabelExpression: {
          fields: {
            key: { type: 'string', id: 1 },
            operator: { type: 'string', id: 2 },
            values: { rule: 'repeated', type: 'string', id: 3 },
          },
        },
        Response: {
          fields: {
            allocatedPrefix: { type: 'string', id: 1 },
            gateway: { type: 'string', id: 2 },
            parentPrefix: { type: 'string', id: 3 },
          },
        },
        StatusCode: { values: { Valid: 0, InValid: 1, Unknown: 2 } },
        GetRequest: { fields: { namespace: { type: 'string', id: 1 }, name: { type: 'string', id: 2 } } },
        Claim: {
          fields: {
            namespace: { type: 'string', id: 1 },
            name: { type: 'string', id: 2 },
            networkInstance: { type: 'string', id: 3 },
            prefixkind: { type: 'string', id: 4 },
            allocatedPrefix: { type: 'string', id: 5 },
            gateway: { type: 'string', id: 6 },
            parentPrefix: { type: 'string', id: 7 },
            labels: { keyType: 'string', type: 'string', id: 8 },
            statusCode: { type: 'StatusCode', id: 9 },
          },
        },
        ListRequest: {
          fields: {
            namespace: { type: 'string', id: 1 },
            networkInstance: { type: 'string', id: 2 },
            pageSize: { type: 'uint32', id: 3 },
            pageToken: { type: 'string', id: 4 },
          },
        },
        ListResponse: {
          fields: { claims: { rule: 'repeated', type: 'Claim', id: 1 }, nextPageToken: { type: 'string', id: 2 } },
        },
        WatchRequest: { fields: { namespace: { type: 'string', id: 1 }, name: { type: 'string', id: 2 } } },
        WatchResponse: { fields: { claim: { type: 'Claim', id: 1 }, synced: { type: 'bool', id: 2 } } },
      },
    },
    grpc: {
      nested: {
        health: {
          nested: {
            v1: {
              nested: {
                Health: {
                  methods: {
                    Check: { requestType: 'HealthCheckRequest', responseType: 'HealthCheckResponse' },
                    Watch: {
                      requestType: 'HealthCheckRequest',
                      responseType: 'HealthCheckResponse',
                      responseStream: true,
                    },
                  },
                },
                HealthCheckRequest: { fields: { service: { type: 'string', id: 1 } } },
                HealthCheckResponse: {
                  fields: { status: { type: 'ServingStatus', id: 1 } },
                  nested: { ServingStatus: { values: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } } },
                },
              },
            },
          },
        },
      },
    },
  },
};
