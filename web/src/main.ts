import { mount } from 'svelte'
import App from './App.svelte'
import { install } from './lib/push/install.svelte'
import { startWorker } from './lib/push/worker'
import { watchComposing } from './lib/ui/composing'
import { textSize } from './lib/ui/size.svelte'
import { theme } from './lib/ui/theme.svelte'
import { speak } from './lib/words'
import './tokens.css'
import './page.css'
import './prose.css'
import './print.css'

theme.apply()
textSize.apply()
install.watch()
watchComposing()
await speak()
const page = document.getElementById('page')
if (page === null) throw new Error('index.html has no element with the id "page".')
mount(App, { target: page })
startWorker()
