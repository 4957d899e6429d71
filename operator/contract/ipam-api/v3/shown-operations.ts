import { Type } from '@sinclair/typebox';
import { RELEASED } from './answers';
import { ALL_ROLES, CLUSTER_ROLES, type Operation } from './operation';
import { addressText, line, list, record } from './pieces';
import { PAGE } from './query';
import {
  COMPLETE,
  COMPLETE_BODY,
  CONTEST_BODY,
  CONTESTED,
  CONTESTS,
  LOOKED_UP,
  LOOKUP_BODY,
  MET,
  USES,
  USES_BODY,
  USES_CHANGED,
  USES_FORGOTTEN,
} from './shown-schemas';
import { CLUSTER, CLUSTER_PATH } from './cluster-path';

/** Largest body: 1,000 differences with long names. */
const SHOWN_BYTES = 1024 * 1024;

/** Operations by which clusters tell of addresses that they show without a claim. */
export const SHOWN_OPERATIONS = {
  postContest: {
    method: 'POST',
    path: `${CLUSTER_PATH}/contests`,
    summary: 'Note an address that a stored Service shows although the record does not grant it',
    description:
      'The address is given to no other owner while it is shown, unless that owner proves it by its secret. For operators and administrators only, since it rests on what a load balancer announces, and within the limit of the client (occupiedQuota in the clients file); above it the answer is 429 with cluster/quota.',
    tag: 'clusters',
    roles: CLUSTER_ROLES,
    params: CLUSTER,
    body: CONTEST_BODY,
    answers: { 200: CONTESTED },
    repeatable: true,
  },
  deleteContests: {
    method: 'DELETE',
    path: `${CLUSTER_PATH}/contests`,
    summary: 'End what a stored Service contests and shows no more',
    tag: 'clusters',
    roles: CLUSTER_ROLES,
    params: CLUSTER,
    query: record(
      {
        serviceUid: line('UID of the stored Service'),
        keep: Type.Optional(list(addressText('an address'), 64, 'addresses that it still shows')),
      },
      'the Service',
    ),
    answers: { 200: RELEASED },
    repeatable: true,
  },
  listContests: {
    method: 'GET',
    path: `${CLUSTER_PATH}/contests`,
    summary: 'List what the Services of a cluster contest',
    tag: 'clusters',
    roles: ALL_ROLES,
    params: CLUSTER,
    query: record(PAGE, 'which page'),
    answers: { 200: CONTESTS },
    repeatable: true,
  },
  changeUses: {
    method: 'PATCH',
    path: `${CLUSTER_PATH}/uses`,
    summary: 'Put on record what a cluster shows without a claim, and take off what it shows no more',
    description:
      'An address that is shown so is given to no owner, in any cluster; a claim that is there already stays, and the address is in use once it ends. For operators and administrators only: other clients may take off, and put nothing on record. Of each zone a cluster has at most as many addresses on record as in use or contested as occupiedQuota of its client says; what is above is answered as refused with cluster/quota.',
    tag: 'clusters',
    roles: CLUSTER_ROLES,
    params: CLUSTER,
    body: USES_BODY,
    bodyLimit: SHOWN_BYTES,
    answers: { 200: USES_CHANGED },
    repeatable: true,
  },
  listUses: {
    method: 'GET',
    path: `${CLUSTER_PATH}/uses`,
    summary: 'List what a cluster shows without a claim',
    tag: 'clusters',
    roles: ALL_ROLES,
    params: CLUSTER,
    answers: { 200: USES },
    repeatable: true,
  },
  forgetUses: {
    method: 'DELETE',
    path: `${CLUSTER_PATH}/uses`,
    summary: 'Forget everything that a cluster shows without a claim, and since when that was complete',
    tag: 'clusters',
    roles: CLUSTER_ROLES,
    params: CLUSTER,
    answers: { 200: USES_FORGOTTEN },
    repeatable: true,
  },
  completeUses: {
    method: 'PUT',
    path: `${CLUSTER_PATH}/uses/complete`,
    summary: 'Note that everything that a cluster shows in some networks is on record',
    description:
      'For operators and administrators only; what the cluster shows no more is to be taken off before. Of zones that came or changed since, what is beyond occupiedQuota of the clients counts as avoided from then on. A network that no zone has is left out: the answer lists what is noted.',
    tag: 'clusters',
    roles: CLUSTER_ROLES,
    params: CLUSTER,
    body: COMPLETE_BODY,
    answers: { 200: COMPLETE },
    repeatable: true,
  },
  listComplete: {
    method: 'GET',
    path: `${CLUSTER_PATH}/uses/complete`,
    summary: 'Tell since when everything that a cluster shows has been on record, by network',
    tag: 'clusters',
    roles: ALL_ROLES,
    params: CLUSTER,
    answers: { 200: COMPLETE },
    repeatable: true,
  },
  listMet: {
    method: 'GET',
    path: `${CLUSTER_PATH}/met`,
    summary: 'List the claims of a cluster at whose addresses some cluster shows something else',
    description: 'Of objects of other clusters the names are told to administrators and readers only.',
    tag: 'clusters',
    roles: ALL_ROLES,
    params: CLUSTER,
    answers: { 200: MET },
    repeatable: true,
  },
  lookupClaims: {
    method: 'POST',
    path: `${CLUSTER_PATH}/lookup`,
    summary: 'Tell what a cluster itself has at some addresses, contested or left a moment ago too',
    tag: 'clusters',
    roles: ALL_ROLES,
    params: CLUSTER,
    body: LOOKUP_BODY,
    bodyLimit: SHOWN_BYTES,
    answers: { 200: LOOKED_UP },
    repeatable: true,
  },
} as const satisfies Readonly<Record<string, Operation>>;
