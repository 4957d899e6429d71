import * as pulumi from '@pulumi/pulumi';

import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { NEPHIO_GROUP } from '../../operator/contract/nephio';
import { annotated, annotationsOf, SKIP_AWAIT, WAIT_FOR } from './awaiting';
import type { ResourceInputs } from './resource-classes';

/** Answer of the operator in the status of an IPPrefix or an IPAllocation; absent parts were not given. */
export interface ShownPrefix {
  readonly prefix?: string;
  readonly gateway?: string;
  readonly parentPrefix?: string;
}

/** Status of one resource. */
interface WithStatus {
  readonly status?: pulumi.Output<ShownPrefix | undefined>;
}

const isOurs = ({ apiVersion }: ApiManifest): boolean => apiVersion.startsWith(`${NEPHIO_GROUP}/`);

/**
 * Tells the provider of Kubernetes to wait until the operator has accepted an object of `ipam.nephio.org`.
 *
 * @param object - any object; all others stay as they are, and one that says itself how to wait
 * @param waits - whether to wait at all
 * @returns the object with an annotation for the provider
 */
export function awaitingReady(object: ApiManifest, waits: boolean): ApiManifest {
  if (!isOurs(object)) return object;
  const annotations = annotationsOf(object);
  if (annotations[WAIT_FOR] !== undefined || annotations[SKIP_AWAIT] !== undefined) return object;
  return annotated(object, waits ? { [WAIT_FOR]: 'condition=Ready' } : { [SKIP_AWAIT]: 'true' });
}

/**
 * Asks for the status of a resource, which is an Output only where the inputs have a place for it.
 *
 * @param inputs - of a resource of `ipam.nephio.org`
 * @returns the same, with a place
 */
export const withStatus = (inputs: ResourceInputs): ResourceInputs => ({ ...inputs, status: undefined });

/**
 * Reads what the operator answered.
 *
 * @param resource - made of inputs of {@link withStatus}
 * @param field - part of its status
 * @returns empty where it was not given; unknown in the preview of a new resource
 */
export function shownOf(resource: pulumi.CustomResource, field: keyof ShownPrefix): pulumi.Output<string> {
  const { status } = resource as pulumi.CustomResource & WithStatus;
  return pulumi.output(status).apply((shown) => shown?.[field] ?? '');
}

/**
 * Gives the provider its time to wait.
 *
 * @param seconds - for each resource
 * @returns options of a resource
 */
export function waitingFor(seconds: number): pulumi.CustomResourceOptions {
  const timeout = `${String(seconds)}s`;
  return { customTimeouts: { create: timeout, update: timeout } };
}
