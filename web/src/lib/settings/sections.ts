// The sections of the settings page, in their order. A new one is a component and a line here.

import type { Component } from 'svelte'
import { words } from '../words'
import About from './About.svelte'
import Agents from './Agents.svelte'
import Appearance from './Appearance.svelte'
import Behaviour from './Behaviour.svelte'
import Models from './Models.svelte'
import Moving from './Moving.svelte'
import Notifications from './Notifications.svelte'
import Rules from './Rules.svelte'
import SignInSection from './SignInSection.svelte'
import Storage from './Storage.svelte'

export interface Section {
  /** Its address: /settings#id. */
  id: string
  title: string
  about: string
  body: Component
}

export const SECTIONS: readonly Section[] = [
  { id: 'agents', title: 'Agents', about: 'Who does the work.', body: Agents },
  { id: 'models', title: 'Models', about: 'Where the built-in agent finds its models.', body: Models },
  { id: 'appearance', title: 'Appearance', about: 'Kept in this browser.', body: Appearance },
  { id: 'behaviour', title: 'Behaviour', about: 'Kept in this browser.', body: Behaviour },
  { id: 'notifications', title: 'Notifications', about: 'For this browser.', body: Notifications },
  { id: 'rules', title: 'Approval rules', about: 'What runs without asking you, in every session.', body: Rules },
  { id: 'moving', title: 'Import and export', about: 'Sessions from elsewhere, and yours as files.', body: Moving },
  {
    id: 'storage',
    get title() {
      return words.keeping.storage.section
    },
    get about() {
      return words.keeping.storage.about
    },
    body: Storage,
  },
  { id: 'sign-in', title: 'Sign-in', about: 'Who can reach this server.', body: SignInSection },
  {
    id: 'about',
    get title() {
      return words.keeping.about.section
    },
    get about() {
      return words.keeping.about.about
    },
    body: About,
  },
]
