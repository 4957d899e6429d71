import { CATALOGUE, type ErrorCode } from '../../../operator/errors/catalogue';
import { grpcStatus } from '../../../operator/errors/grpc-status';

const codes = Object.keys(CATALOGUE) as ErrorCode[];

describe('grpcStatus', () => {
  test.each<[ErrorCode, number]>([
    ['instance/not-found', 5],
    ['instance/terminating', 9],
    ['instance/missing', 3],
    ['prefix/malformed', 3],
    ['prefix/host-bits-set', 3],
    ['prefix/host-length', 3],
    ['prefix/parent-kind', 9],
    ['prefix/in-use', 6],
    ['prefix/no-network', 5],
    ['selector/no-candidate', 5],
    ['selector/bound', 6],
    ['request/changed', 6],
    ['pool/exhausted', 8],
    ['address/held', 9],
    ['address/excluded', 9],
    ['address/reserved', 3],
    ['store/unavailable', 14],
    ['store/conflict', 14],
    ['cluster/unavailable', 14],
    ['api/unauthenticated', 16],
    ['api/forbidden', 7],
    ['internal', 13],
  ])('of %s is %d', (code, status) => {
    expect(grpcStatus(code)).toBe(status);
  });

  test.each(codes)('of %s is a failure that gRPC knows', (code) => {
    expect(grpcStatus(code)).toBeGreaterThan(2);
    expect(grpcStatus(code)).toBeLessThanOrEqual(16);
  });
});
