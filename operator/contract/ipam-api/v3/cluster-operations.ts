import { Type } from '@sinclair/typebox';
import { CLAIM, CLAIMS, CLEANUP, GRANT, HOLDINGS, RELEASED, RELEASED_ONE, REPORTED } from './answers';
import { CHECK_BODY, CLAIM_BODY, CLAIM_CHANGE, EXCHANGE_BODY, RELEASE_BODY, REPORT_BODY, ROTATE_BODY } from './bodies';
import type { Operation } from './operation';
import { addressText, anyKey, chosenKey, claimState, clusterUid, holderState, line, list, record } from './pieces';
import { PAGE, SWITCH } from './query';

const OWN = ['cluster', 'admin'] as const;
const SEEN = ['cluster', 'reader', 'admin'] as const;
const path = '/v3/clusters/{clusterUid}' as const;
const cluster = record({ clusterUid }, 'the cluster');
const claim = record({ clusterUid, key: anyKey }, 'the claim');
/** Largest report: 200,000 Services. */
export const REPORT_BYTES = 64 * 1024 * 1024;

/** What clusters do. */
export const CLUSTER_OPERATIONS = {
  putClaim: {
    method: 'PUT',
    path: `${path}/claims/{key}`,
    summary: 'Claim an address under a key of the caller; the same key again gives the same claim',
    description:
      'A key names one wish. The same wish again answers 200 with the claim; another Service, zone or family, or an address that is not the one of the claim, answers 409 with claim/key-used, the field and who has the key. Other options, sharing terms or written keys are applied, but once the claim is bound to a stored Service only to a caller that names its serviceUid, as PATCH does: else they answer 409 as well. A zone of chosen namespaces gives only to operators (operator in the clients file), which compare the labels, and to administrators: other callers can prove no namespace.',
    tag: 'claims',
    roles: OWN,
    params: record({ clusterUid, key: chosenKey }, 'the claim'),
    body: CLAIM_BODY,
    answers: { 200: GRANT, 201: GRANT },
    tagged: true,
    repeatable: true,
  },
  postClaim: {
    method: 'POST',
    path: `${path}/claims`,
    summary: 'Claim an address for a Service, which is its own key: asking again gives the same claim',
    tag: 'claims',
    roles: OWN,
    params: cluster,
    body: CLAIM_BODY,
    answers: { 200: GRANT, 201: GRANT },
    repeatable: true,
  },
  getClaim: {
    method: 'GET',
    path: `${path}/claims/{key}`,
    summary: 'Show one claim',
    tag: 'claims',
    roles: SEEN,
    params: claim,
    answers: { 200: CLAIM },
    tagged: true,
    repeatable: true,
  },
  patchClaim: {
    method: 'PATCH',
    path: `${path}/claims/{key}`,
    summary: 'Bind a claim to its stored Service, change its terms, or replace its secret',
    tag: 'claims',
    roles: OWN,
    params: claim,
    query: record(
      { state: Type.Optional(holderState) },
      'what the claim was when it was read: what was reserved is not taken from a Service that has it bound by now',
    ),
    body: CLAIM_CHANGE,
    answers: { 200: GRANT },
    tagged: true,
    repeatable: true,
  },
  deleteClaim: {
    method: 'DELETE',
    path: `${path}/claims/{key}`,
    summary: 'Release one claim, or with undo give back what was only reserved; one that is gone is gone already',
    tag: 'claims',
    roles: OWN,
    params: claim,
    query: record(
      {
        undo: Type.Optional(SWITCH('true: only a claim that no stored Service has taken over')),
        state: Type.Optional(holderState),
      },
      'how it ends',
    ),
    answers: { 200: RELEASED },
    tagged: true,
    repeatable: true,
  },
  listClusterClaims: {
    method: 'GET',
    path: `${path}/claims`,
    summary: 'List the claims of a cluster',
    tag: 'claims',
    roles: SEEN,
    params: cluster,
    query: record(
      { ...PAGE, namespace: Type.Optional(line('name of the namespace')), state: Type.Optional(claimState) },
      'which claims',
    ),
    answers: { 200: CLAIMS },
    repeatable: true,
  },
  listHoldings: {
    method: 'GET',
    path: `${path}/holdings`,
    summary: 'List everything that one Service holds, by any of its identities',
    tag: 'claims',
    roles: SEEN,
    params: cluster,
    query: record(
      {
        namespaceUid: Type.Optional(line('UID of the namespace')),
        namespace: Type.Optional(line('name of the namespace')),
        serviceName: Type.Optional(line('name of the Service')),
        serviceUid: Type.Optional(line('UID of the stored Service')),
        reservation: Type.Optional(line('reservation id of the unstored object')),
      },
      'the Service',
    ),
    answers: { 200: HOLDINGS },
    repeatable: true,
  },
  releaseServiceClaims: {
    method: 'DELETE',
    path: `${path}/claims`,
    summary: 'Release what a stored Service holds, after it is gone or names other addresses',
    tag: 'claims',
    roles: OWN,
    params: cluster,
    query: record(
      {
        serviceUid: line('UID of the stored Service'),
        keep: Type.Optional(list(addressText('an address'), 64, 'addresses that it still names')),
      },
      'the Service',
    ),
    answers: { 200: RELEASED },
    repeatable: true,
  },
  checkClaim: {
    method: 'POST',
    path: `${path}/check`,
    summary: 'Check that a Service has an address: reserved for it or bound to it',
    tag: 'claims',
    roles: SEEN,
    params: cluster,
    body: CHECK_BODY,
    answers: { 200: GRANT },
    repeatable: true,
  },
  rotateSecret: {
    method: 'POST',
    path: `${path}/rotate`,
    summary: 'Replace the secret of an address that the Service alone holds',
    tag: 'claims',
    roles: OWN,
    params: cluster,
    body: ROTATE_BODY,
    answers: { 200: GRANT },
    repeatable: true,
  },
  exchangeClaims: {
    method: 'POST',
    path: `${path}/exchanges`,
    summary: 'Exchange the addresses of stored Services that wait for each other, all at once or none',
    description:
      'The Services are of one namespace, and their addresses are held under one secret. The answer has the new claims in the order of the moves.',
    tag: 'claims',
    roles: OWN,
    params: cluster,
    body: EXCHANGE_BODY,
    answers: { 200: HOLDINGS },
    repeatable: false,
  },
  releaseByService: {
    method: 'POST',
    path: `${path}/release`,
    summary: 'Release one claim by identity and secret',
    tag: 'claims',
    roles: OWN,
    params: cluster,
    body: RELEASE_BODY,
    answers: { 200: RELEASED_ONE },
    repeatable: true,
  },
  putReport: {
    method: 'PUT',
    path: `${path}/report`,
    summary: 'Report every live Service, so that leases of others can end; a silent cluster keeps its own',
    tag: 'clusters',
    roles: OWN,
    params: cluster,
    body: REPORT_BODY,
    bodyLimit: REPORT_BYTES,
    answers: { 200: REPORTED },
    repeatable: true,
  },
  deleteCluster: {
    method: 'DELETE',
    path,
    summary: 'End what a cluster holds, but for what denyExternalCleanup protects; retention is honoured',
    tag: 'clusters',
    roles: OWN,
    params: cluster,
    query: record({ dryRun: SWITCH('true: only tells; false: does it. There is no default') }, 'really?'),
    answers: { 200: CLEANUP },
    repeatable: true,
    audited: true,
  },
  clusterEvents: {
    method: 'GET',
    path: `${path}/events`,
    summary: 'Follow freed addresses as server-sent events; Last-Event-ID goes on after a break',
    description:
      'With PostgreSQL every replica tells what any of them freed, and an id of one goes on at another for an hour; with SQLite an id counts for 100,000 events, also after a restart. Too many streams of one client answer 429, of all clients 503, both with Retry-After.',
    tag: 'clusters',
    roles: OWN,
    params: cluster,
    answers: {
      200: Type.String({ description: 'events "freed" (FreedEvent) and "reset" (what was missed is unknown)' }),
    },
    repeatable: true,
    stream: true,
  },
} as const satisfies Readonly<Record<string, Operation>>;
