import fastify from 'fastify';

import type { ApiUser } from '../../operator/contract/api-user';
import { EGRESS_WEBHOOK_PATHS } from '../../operator/contract/egress-webhooks';
import { IpamError } from '../../operator/errors/ipam-error';
import { accept, refuse, type Outcome } from '../../operator/errors/outcome';
import { registerEgressDoor } from '../../operator/front-doors/egress';
import type { EgressAdmissionParts } from '../../operator/front-doors/egress/admission/admission-parts';
import type { WantedAccess } from '../../operator/ports/token-access';
import type { AnswerJson } from './review-builder';

/** Content of a review of the Egress door. */
export interface AskedReview {
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly object?: object | undefined;
  readonly oldObject?: object | undefined;
  readonly username?: string;
  readonly dryRun?: boolean;
  readonly subResource?: string;
}

/** The webhooks of the Egress door on a server without a port, and the rights of users. */
export class EgressReviews {
  /** Rights by user, as `alice use bm`. */
  readonly rights = new Set<string>();
  /** Rights that were asked for. */
  readonly asked: string[] = [];
  /** False: the API server does not answer. */
  isAnswering = true;
  readonly #parts: Omit<EgressAdmissionParts, 'access'> & { readonly usePermission?: boolean };

  constructor(parts: Omit<EgressAdmissionParts, 'access'> & { readonly usePermission?: boolean }) {
    this.#parts = parts;
  }

  /** Asks about an EgressIPAM. */
  egressIpam(review: AskedReview): Promise<AnswerJson['response']> {
    return this.#ask(EGRESS_WEBHOOK_PATHS.egressIpams, 'EgressIPAM', review);
  }

  /** Asks about a Namespace. */
  namespace(review: AskedReview): Promise<AnswerJson['response']> {
    return this.#ask(EGRESS_WEBHOOK_PATHS.namespaces, 'Namespace', review);
  }

  async #ask(path: string, kind: string, review: AskedReview): Promise<AnswerJson['response']> {
    const app = fastify();
    const { usePermission = true, ...parts } = this.#parts;
    const access = { allows: (user: ApiUser, wanted: WantedAccess) => this.#allows(user, wanted) };
    registerEgressDoor(app, usePermission ? { ...parts, access } : parts);
    const request = requestOf(kind, review);
    const answer = await app.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request }),
    });
    await app.close();
    return answer.json<AnswerJson>().response;
  }

  #allows({ username }: ApiUser, { verb, name = '' }: WantedAccess): Promise<Outcome<void>> {
    this.asked.push(`${username} ${verb} ${name}`);
    if (!this.isAnswering) return Promise.reject(new IpamError('cluster/unavailable', 'no answer'));
    const isAllowed = this.rights.has(`${username} ${verb} ${name}`);
    return Promise.resolve(isAllowed ? accept(undefined) : refuse('api/forbidden', 'no'));
  }
}

function requestOf(kind: string, review: AskedReview): object {
  const asked = { object: null, oldObject: null, username: 'alice', dryRun: false, subResource: '', ...review };
  const { object, oldObject, username, ...about } = asked;
  const { metadata } = (object ?? oldObject ?? {}) as { readonly metadata?: { readonly name?: string } };
  return {
    uid: 'r',
    operation: oldObject === null ? 'CREATE' : 'UPDATE',
    ...about,
    kind: { kind },
    name: metadata?.name ?? '',
    object,
    oldObject,
    userInfo: { username, groups: ['team'] },
  };
}
