import * as kubernetes from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';

/** Inputs of any kind; the provider checks them against the schema of the cluster. */
export type ResourceInputs = kubernetes.apiextensions.CustomResourceArgs;

/** Makes the Pulumi resource of one API object. */
export type ResourceClass = new (
  name: string,
  args: ResourceInputs,
  opts?: pulumi.CustomResourceOptions,
) => pulumi.CustomResource;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

// Groups of Kubernetes itself: no dot (`apps`), or `rbac.authorization.k8s.io`. Foreign ones may end in .k8s.io as well.
function groupName(apiVersion: string): readonly [group: string, version: string] {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? ['core', first] : [first.split('.')[0] ?? '', second];
}

/**
 * Finds the class of a kind, so that its Outputs have types and its URN that of the SDK.
 *
 * @param apiVersion - for example `apps/v1`
 * @param kind - for example `Deployment`
 * @returns the SDK's class; `CustomResource` for every kind that the SDK does not know
 */
export function resourceClass(apiVersion: string, kind: string): ResourceClass {
  const [group, version] = groupName(apiVersion);
  const isOfKubernetes = !apiVersion.split('/')[0]?.includes('.') || apiVersion.includes('.k8s.io/');
  const ofGroup: unknown = isOfKubernetes ? (kubernetes as Readonly<Record<string, unknown>>)[group] : undefined;
  const ofVersion = isRecord(ofGroup) ? ofGroup[version] : undefined;
  const found = isRecord(ofVersion) ? ofVersion[kind] : undefined;
  return typeof found === 'function' ? (found as ResourceClass) : kubernetes.apiextensions.CustomResource;
}
