import { catalogueRow, type ErrorCode } from './catalogue';

const INVALID_ARGUMENT = 3;
const UNAVAILABLE = 14;

/** Usual status of gRPC for each HTTP status. */
const OF_HTTP: Readonly<Record<number, number>> = {
  400: INVALID_ARGUMENT,
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  404: 5, // NOT_FOUND
  405: 12, // UNIMPLEMENTED
  408: 4, // DEADLINE_EXCEEDED
  409: 9, // FAILED_PRECONDITION
  412: 9,
  413: 8, // RESOURCE_EXHAUSTED
  415: INVALID_ARGUMENT,
  422: INVALID_ARGUMENT,
  429: 8,
  431: 8,
  500: 13, // INTERNAL
  502: UNAVAILABLE,
  503: UNAVAILABLE,
};

/**
 * Gives the status under which gRPC reports a failure.
 *
 * @param code - one of {@link ErrorCode}
 * @returns number of a gRPC status, never 0
 */
export function grpcStatus(code: ErrorCode): number {
  if (code.startsWith('store/')) return UNAVAILABLE;
  const { grpc, http } = catalogueRow(code);
  return grpc ?? OF_HTTP[http] ?? 2;
}
