import * as pulumi from '@pulumi/pulumi';

import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { annotated } from './awaiting';

/**
 * Annotation that names the stack of an object. Two stacks with one object disagree about it, and by server-side apply the API server
 * refuses the second one: where all values are equal, both would own the object, and the destroy of one would delete it.
 */
export const STACK = 'cdk8s-ipam/stack';

/**
 * Names the stack that is running.
 *
 * @returns organization, project and stack
 */
export function thisStack(): string {
  return [organization(), pulumi.getProject(), pulumi.getStack()].join('/');
}

// Unit tests of programs run without one, and so do engines that know none.
function organization(): string {
  try {
    return pulumi.getOrganization();
  } catch {
    return 'organization';
  }
}

/**
 * Marks an object as one of this stack.
 *
 * @param object - any object, which stays as it is
 * @returns the object with its annotation
 */
export function ofThisStack(object: ApiManifest): ApiManifest {
  return annotated(object, { [STACK]: thisStack() });
}
